// The list of messages. Only what changed is drawn anew, so that a menu that is
// open, the focus and what a screen reader has read stay as they are.

import { $, arrange, make } from "./dom.js";
import { drawMessage } from "./messages.js";

const list = $("messages");
const scroller = $("scroller");
const near = 80; // px from the end, within which the list follows new messages
const together = 7 * 60_000; // ms within which messages of an author stand together

// The list stays at its end where its room changes, as on Discord.
let follow = true;
scroller.addEventListener("scroll", () => {
  follow = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < near;
});
new ResizeObserver(() => {
  if (follow) scroller.scrollTop = scroller.scrollHeight;
}).observe(scroller);

// Shows another list, from its end; language is that of its reader.
export function clearList(language) {
  list.replaceChildren();
  follow = true;
  list.lang = language;
}

// Shows the messages. press(message, customID, values) and dismiss(message)
// return promises that end when it has been answered; press's is of what Discord
// says where it was not. open is as drawMessage has it.
export function showMessages(messages, names, press, dismiss, open) {
  const atEnd = follow;
  const old = new Map([...list.children].map((item) => [item.dataset.id, item]));
  const items = messages.map((message, i) => {
    const grouped = isGrouped(messages[i - 1], message);
    const text = JSON.stringify([message, grouped]);
    const before = old.get(message.id);
    if (before?.dataset.text === text) return before;
    const item = drawItem(message, { names, grouped, press, dismiss, open });
    item.dataset.id = message.id;
    item.dataset.text = text;
    return item;
  });
  arrange(list, items, replace);
  if (atEnd) scroller.scrollTop = scroller.scrollHeight;
}

function isGrouped(before, message) {
  if (!before || before.ephemeral || message.ephemeral || message.command) return false;
  return new Date(message.time) - new Date(before.time) < together;
}

// While a press is unanswered, Discord lets nothing else in the message be
// pressed.
function drawItem(message, { names, grouped, press, dismiss, open }) {
  const item = drawMessage(message, {
    names,
    grouped,
    press: async (customID, values) => {
      if (item.ariaBusy) return;
      item.ariaBusy = "true";
      const problem = await press(message, customID, values);
      if (item.isConnected) redraw(problem); // nothing changed
    },
    dismiss: () => dismiss(message),
    open,
  });
  const redraw = (problem) => {
    const fresh = drawItem(message, { names, grouped, press, dismiss, open });
    Object.assign(fresh.dataset, item.dataset);
    if (problem) {
      const note = make("p", "failed", problem);
      note.role = "alert";
      fresh.querySelector(".body").append(note);
    }
    replace(item, fresh);
  };
  return item;
}

// Replaces a message by its newer form, with the focus where it was.
function replace(item, next) {
  const focused = item.contains(document.activeElement) ? document.activeElement : null;
  const held = focused && holdOf(item, focused);
  item.replaceWith(next);
  if (held) give(next, held);
}

// Remembers what has the focus, and returns what gives it back, to its newer form
// where it was a control of a message.
export function keepFocus() {
  const focused = document.activeElement;
  const item = focused.closest("#messages > li");
  if (!item) return () => focused.focus();
  const held = holdOf(item, focused);
  return () => {
    const now = [...list.children].find((other) => other.dataset.id === item.dataset.id);
    if (now) give(now, held);
    else scroller.focus();
  };
}

// What the focus is held by: a control's ID, and its place, which in another state
// of the message may be another control's.
function holdOf(item, focused) {
  if (focused === item) return { control: item.dataset.wanted, place: item.dataset.place };
  return { control: controlOf(focused), place: placeOf(focused) };
}

// Gives a message the focus that was held so. While that control is gone or
// can not be pressed, the message itself has it.
function give(item, held) {
  const controls = [...item.querySelectorAll("[data-control], [data-command]")].filter((control) => !control.disabled);
  const control = controls.find((control) => controlOf(control) === held.control) ?? controls.find((control) => held.place && placeOf(control) === held.place);
  if (!control) Object.assign(item.dataset, { wanted: held.control ?? "", place: held.place ?? "" });
  (control ?? item).focus({ preventScroll: true });
}

// What a control stands for, in the older and in the newer form of a message.
function controlOf({ dataset }) {
  return dataset.control ?? dataset.command;
}

// Where a control is: its row, its place in that, and that it is a button or a menu.
function placeOf(control) {
  const row = control.closest(".row");
  if (!row) return "";
  const rows = [...row.parentElement.querySelectorAll(".row")];
  const at = [...row.children].findIndex((child) => child.contains(control));
  return [rows.indexOf(row), at, control.role ?? "button"].join(" ");
}
