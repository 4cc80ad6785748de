// Shows a modal that the bot opened, and sends what was filled in.

import { $, make } from "./dom.js";
import { drawField } from "./fields.js";
import { keepFocus } from "./list.js";

const dialog = $("modal");

// submit(fields) returns a promise that fails where the bot did not answer.
export function openModal(modal, submit) {
  if (dialog.open) return; // what is being filled in stays
  const fields = modal.components.map(drawField);
  $("modal-title").textContent = modal.title;
  $("modal-fields").replaceChildren(...fields.map((field) => field.element));
  complain("");
  $("modal-cancel").onclick = $("modal-close").onclick = () => dialog.close();
  dialog.querySelector("form").onsubmit = (event) => {
    event.preventDefault();
    send(fields.filter((field) => field.name), submit);
  };
  dialog.addEventListener("close", keepFocus(), { once: true });
  dialog.showModal();
  $("modal-fields").querySelector("input, textarea, select")?.focus();
}

async function send(fields, submit) {
  const wrong = [...$("modal-fields").querySelectorAll("input, textarea, select")].find((input) => !input.checkValidity());
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
