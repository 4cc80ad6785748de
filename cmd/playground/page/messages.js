// Draws a message as Discord shows it.

import { avatar, button, icon, make } from "./dom.js";
import { drawRow } from "./components.js";
import { drawEmbed } from "./embed.js";
import { markdown } from "./markdown.js";
import { time } from "./time.js";

// Draws a message. press(customID, values) is called for what is pressed, and
// dismiss() where the message is to go. A grouped one follows another of the
// same author, and does not name that again.
// open(id) goes to the thread that was started from a message; null in that thread.
export function drawMessage(message, { names, grouped, press, dismiss, open }) {
  const item = make("li", "message");
  item.classList.toggle("ephemeral", message.ephemeral);
  item.classList.toggle("grouped", grouped);
  item.tabIndex = -1; // takes the focus where what had it is gone
  if (message.command) {
    item.append(make("p", "used", avatar(message.user), make("b", "", message.user), " used ", make("b", "command", message.command)));
  }
  if (!grouped) {
    item.append(avatar("hostbot"), make("p", "author", make("b", "", "hostbot"), make("span", "app", "APP"), time(new Date(message.time), "t")));
  }
  item.append(make("div", "body", ...body(message, names, press)));
  if (open && names[message.thread]) {
    const link = button("link", names[message.thread], () => open(message.thread));
    link.dataset.control = "thread";
    item.append(make("p", "note", icon("🧵"), " ", link));
  }
  if (message.ephemeral) item.append(make("p", "note", icon("👁"), " Only you can see this", ...dismissal(message, dismiss)));
  return item;
}

// What is not there yet can not be dismissed.
function dismissal(message, dismiss) {
  if (message.state === "waiting" || message.state === "thinking") return [];
  const link = button("link", "Dismiss message", dismiss);
  link.dataset.control = "dismiss";
  return [" • ", link];
}

function body(message, names, press) {
  switch (message.state) {
    case "thinking":
      return [make("p", "thinking", dots(), "hostbot is thinking…")];
    case "waiting":
      return [make("p", "thinking", "Sending command…")];
    case "failed":
      return [make("p", "failed", icon("❗"), " The application did not respond")];
  }
  const parts = [];
  if (message.content) parts.push(make("div", "content", markdown(message.content, names)));
  for (const embed of message.embeds ?? []) parts.push(drawEmbed(embed, names));
  for (const row of message.components ?? []) parts.push(drawRow(row, press));
  return parts;
}

// Says that something is under way.
export function dots() {
  const three = icon("");
  three.className = "dots";
  three.append(make("i", ""), make("i", ""), make("i", ""));
  return three;
}
