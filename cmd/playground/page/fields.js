// Draws the fields of a modal: a label around an input, or a row with one, as modals
// were made before.

import { make } from "./dom.js";
import { drawSelect } from "./select.js";

const kinds = { row: 1, select: 3, text: 4, radios: 21, checkboxes: 22, checkbox: 23 };
const paragraph = 2;

// Returns the field's element, its name, value(), and problem(): an input that is not
// filled in as it must be, or undefined.
export function drawField(part) {
  const input = part.type === kinds.row ? part.components[0] : part.component;
  const required = input.type !== kinds.checkbox && (input.required ?? true);
  const name = make("span", "name", part.label ?? input.label);
  if (required) name.append(make("span", "required", " *"));
  const words = [name, ...(part.description ? [make("small", "", part.description)] : [])];
  const draw = { [kinds.select]: menu, [kinds.radios]: options, [kinds.checkboxes]: options, [kinds.checkbox]: checkbox }[input.type] ?? text;
  return { name: input.custom_id, ...draw(input, words, required) };
}

function text(input, words, required) {
  const control = make(input.style === paragraph ? "textarea" : "input", "");
  control.value = input.value ?? "";
  control.placeholder = input.placeholder ?? "";
  control.required = required;
  if (input.min_length) control.minLength = input.min_length;
  if (input.max_length) control.maxLength = input.max_length;
  return { element: make("label", "field", ...words, control), value: () => control.value, problem: () => invalid([control]) };
}

// Radio buttons, of which one is chosen, or checkboxes.
function options(input, words, required) {
  const single = input.type === kinds.radios;
  const controls = input.options.map((option) => {
    const control = box(single ? "radio" : "checkbox", option.default);
    control.name = input.custom_id;
    control.value = option.value;
    control.required = single && required;
    return control;
  });
  const rows = input.options.map((option, i) => {
    const label = make("span", "", option.label);
    if (option.description) label.append(make("small", "", option.description));
    return make("label", "option", controls[i], label);
  });
  const chosen = () => controls.filter((control) => control.checked).map((control) => control.value);
  const element = make("fieldset", "field", make("legend", "", ...words), ...rows);
  return { element, value: () => (single ? (chosen()[0] ?? null) : chosen()), problem: () => invalid(controls) };
}

function checkbox(input, words) {
  const control = box("checkbox", input.default);
  const element = make("label", "field option", control, make("span", "", ...words));
  return { element, value: () => control.checked, problem: () => undefined };
}

function box(type, checked) {
  const control = make("input", "");
  control.type = type;
  control.defaultChecked = checked ?? false;
  return control;
}

function menu(input, words) {
  let chosen = input.options.filter((option) => option.default).map((option) => option.value);
  const drawn = drawSelect({ placeholder: words[0].textContent, ...input }, (values) => (chosen = values));
  return { element: make("div", "field", ...words, make("div", "row", drawn)), value: () => chosen, problem: () => undefined };
}

function invalid(controls) {
  return controls.find((control) => !control.checkValidity());
}
