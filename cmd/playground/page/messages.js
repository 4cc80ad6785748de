// Draws a message as Discord shows it.

import { markdown } from "./markdown.js";
import { time } from "./time.js";

const make = (tag, className, ...children) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
};

// Draws a message. press(customID, values) is called for what is pressed, and
// dismiss() where the message is to go.
export function drawMessage(message, names, press, dismiss) {
  const item = make("li", message.ephemeral ? "message ephemeral" : "message");
  item.tabIndex = -1; // takes the focus where what had it is gone
  if (message.command) item.append(make("p", "used", make("b", "", message.user), " used ", make("code", "", message.command)));
  item.append(make("p", "author", make("b", "", "hostbot"), make("span", "app", "APP"), time(new Date(message.time), "T")));
  switch (message.state) {
    case "thinking":
      item.append(make("p", "thinking", "hostbot is thinking…"));
      break;
    case "waiting":
      item.append(make("p", "thinking", "Sending…"));
      break;
    case "failed":
      item.append(make("p", "failed", "The application did not respond"));
      break;
    default:
      item.append(...body(message, names, press));
  }
  if (message.ephemeral) item.append(make("p", "note", icon("👁"), " Only you can see this", ...dismissal(message, dismiss)));
  return item;
}

// A picture that says nothing more to somebody who listens.
function icon(text) {
  const span = make("span", "", text);
  span.ariaHidden = "true";
  return span;
}

// What is not there yet can not be dismissed.
function dismissal(message, dismiss) {
  if (message.state !== "shown") return [];
  const link = make("button", "link", "Dismiss message");
  link.type = "button";
  link.dataset.control = "dismiss";
  link.addEventListener("click", dismiss);
  return [" • ", link];
}

function body(message, names, press) {
  const parts = [];
  if (message.content) parts.push(make("div", "content", markdown(message.content, names)));
  for (const embed of message.embeds ?? []) parts.push(drawEmbed(embed, names));
  for (const row of message.components ?? []) parts.push(drawRow(row, press));
  return parts;
}

function drawEmbed(embed, names) {
  const box = make("article", "embed");
  box.style.setProperty("--color", "#" + (embed.color ?? 0).toString(16).padStart(6, "0"));
  if (embed.title) box.append(make("h3", "", markdown(embed.title, names)));
  if (embed.description) box.append(make("div", "description", markdown(embed.description, names)));
  if (embed.fields?.length) {
    const fields = make("dl", "");
    for (const field of embed.fields) {
      const group = make("div", field.inline ? "inline" : "");
      group.append(make("dt", "", markdown(field.name, names)), make("dd", "", markdown(field.value, names)));
      fields.append(group);
    }
    box.append(fields);
  }
  const foot = [embed.footer?.text, embed.timestamp && time(new Date(embed.timestamp))].filter(Boolean);
  if (foot.length) box.append(make("footer", "", ...foot.flatMap((part, i) => (i ? [" • ", part] : [part]))));
  return box;
}

const kinds = { button: 2, select: 3 };

function drawRow(row, press) {
  const box = make("div", "row");
  for (const component of row.components) {
    if (component.type === kinds.button) box.append(drawButton(component, press));
    if (component.type === kinds.select) box.append(drawSelect(component, press));
  }
  return box;
}

function drawButton(component, press) {
  const button = make("button", "style-" + component.style, [component.emoji?.name, component.label].filter(Boolean).join(" "));
  button.type = "button";
  button.disabled = component.disabled ?? false;
  button.dataset.control = component.custom_id;
  button.addEventListener("click", () => {
    button.classList.add("pressed");
    press(component.custom_id, []);
  });
  return button;
}

function drawSelect(component, press) {
  const select = make("select", "");
  select.setAttribute("aria-label", component.placeholder ?? "Choose");
  select.disabled = component.disabled ?? false;
  select.dataset.control = component.custom_id;
  select.append(new Option(component.placeholder ?? "", "", true, true));
  select.options[0].disabled = true;
  for (const option of component.options) {
    const text = [option.emoji?.name, option.label, option.description && "— " + option.description].filter(Boolean);
    select.append(new Option(text.join(" "), option.value, option.default, option.default));
  }
  // An arrow would choose at once in a menu that is closed; on Discord it opens it.
  select.addEventListener("keydown", (event) => {
    if (!event.key.startsWith("Arrow") || !CSS.supports("selector(:open)") || select.matches(":open")) return;
    event.preventDefault();
    select.showPicker();
  });
  select.addEventListener("change", () => press(component.custom_id, [select.value]));
  return select;
}
