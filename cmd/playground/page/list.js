// The list of messages. Only what changed is drawn anew, so that a menu that is
// open, the focus and what a screen reader has read stay as they are.

import { drawMessage } from "./messages.js";

const list = document.getElementById("messages");
const near = 80; // px from the end, within which the list follows new messages

// Shows another list, from its end; language is that of its reader.
export function clearList(language) {
  list.replaceChildren();
  list.lang = language;
}

// Shows the messages. press(message, customID, values) and dismiss(message)
// return promises that end when it has been answered.
export function showMessages(messages, names, press, dismiss) {
  const follow = list.scrollHeight - list.scrollTop - list.clientHeight < near;
  const old = new Map([...list.children].map((item) => [item.dataset.id, item]));
  const items = messages.map((message) => {
    const text = JSON.stringify(message);
    const before = old.get(message.id);
    if (before?.dataset.text === text) return before;
    const item = drawItem(message, names, press, dismiss);
    item.dataset.id = message.id;
    item.dataset.text = text;
    return item;
  });
  place(items);
  if (follow) list.scrollTop = list.scrollHeight;
}

// While a press is unanswered, Discord lets nothing else in the message be
// pressed.
function drawItem(message, names, press, dismiss) {
  const redraw = () => {
    const fresh = drawItem(message, names, press, dismiss);
    Object.assign(fresh.dataset, item.dataset);
    replace(item, fresh);
  };
  const item = drawMessage(message, names, async (customID, values) => {
    if (item.ariaBusy) return;
    item.ariaBusy = "true";
    await press(message, customID, values);
    if (item.isConnected) redraw(); // nothing changed
  }, () => dismiss(message));
  return item;
}

function place(items) {
  const wanted = new Map(items.map((item) => [item.dataset.id, item]));
  for (const item of [...list.children]) {
    const next = wanted.get(item.dataset.id);
    if (!next) item.remove();
    else if (next !== item) replace(item, next);
  }
  items.forEach((item, i) => {
    if (list.children[i] !== item) list.insertBefore(item, list.children[i] ?? null);
  });
}

// Replaces a message by its newer form, with the focus where it was. While that
// control is gone or can not be pressed, the message itself has the focus.
function replace(item, next) {
  const focused = item.contains(document.activeElement) ? document.activeElement : null;
  item.replaceWith(next);
  if (!focused) return;
  const wanted = focused.dataset.control ?? item.dataset.wanted;
  const control = [...next.querySelectorAll("[data-control]")].find((c) => c.dataset.control === wanted && !c.disabled);
  if (!control) next.dataset.wanted = wanted;
  (control ?? next).focus({ preventScroll: true });
}
