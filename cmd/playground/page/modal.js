// Shows a modal that the bot opened, and sends what was filled in. One that was
// cancelled does not come again.

import { $ } from "./dom.js";
import { drawField } from "./fields.js";

const dialog = $("modal");
let shown = ""; // ID of the latest one
let fields = []; // of that

// submit(fields) returns a promise that fails where the bot did not answer.
export function openModal(modal, submit) {
  if (dialog.open || shown === modal.id) return;
  shown = modal.id;
  $("modal-title").textContent = modal.title;
  fields = modal.components.map(drawField);
  $("modal-fields").replaceChildren(...fields.map((field) => field.element));
  complain("");
  $("modal-cancel").onclick = $("modal-close").onclick = () => dialog.close();
  dialog.querySelector("form").onsubmit = (event) => {
    event.preventDefault();
    send(submit);
  };
  dialog.showModal();
  $("modal-fields").querySelector("input, textarea")?.focus();
}

async function send(submit) {
  const wrong = fields.map((field) => field.problem()).find(Boolean);
  if (wrong) {
    complain(wrong.validationMessage);
    return wrong.focus();
  }
  dialog.ariaBusy = "true";
  try {
    await submit(Object.fromEntries(fields.map((field) => [field.name, field.value()])));
    dialog.close();
  } catch {
    complain("Something went wrong. Try again.");
  } finally {
    dialog.ariaBusy = null;
  }
}

function complain(text) {
  $("modal-problem").textContent = text;
  $("modal-problem").hidden = !text;
}
