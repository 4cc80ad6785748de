// Shows a modal that the bot opened, and sends what was filled in. One that was
// cancelled does not come again.

import { $, make } from "./dom.js";

const dialog = $("modal");
let shown = ""; // ID of the latest one

// submit(fields) returns a promise that fails where the bot did not answer.
export function openModal(modal, submit) {
  if (dialog.open || shown === modal.id) return;
  shown = modal.id;
  $("modal-title").textContent = modal.title;
  $("modal-fields").replaceChildren(...modal.components.map(field));
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
  const inputs = [...$("modal-fields").querySelectorAll("input, textarea")];
  const wrong = inputs.find((input) => !input.checkValidity());
  if (wrong) {
    complain(wrong.validationMessage);
    return wrong.focus();
  }
  dialog.ariaBusy = "true";
  try {
    await submit(Object.fromEntries(inputs.map((input) => [input.name, input.value])));
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

const kinds = { row: 1, label: 18 };
const paragraph = 2;

// Draws a row with an input, or a label with one.
function field(part) {
  const input = part.type === kinds.row ? part.components[0] : part.component;
  const control = make(input.style === paragraph ? "textarea" : "input", "");
  control.name = input.custom_id;
  control.value = input.value ?? "";
  control.placeholder = input.placeholder ?? "";
  control.required = input.required ?? true;
  if (input.min_length) control.minLength = input.min_length;
  if (input.max_length) control.maxLength = input.max_length;
  const name = make("span", "name", part.label ?? input.label);
  if (control.required) name.append(make("span", "required", " *"));
  const label = make("label", "", name);
  if (part.description) label.append(make("small", "", part.description));
  label.append(control);
  return label;
}
