// Draws what a modal consists of, as Discord does: texts, menus, and what can be
// ticked.

import { make } from "./dom.js";
import { markdown } from "./markdown.js";

const kinds = { row: 1, select: 3, text: 10, label: 18, radios: 21, ticks: 22, tick: 23 };
const paragraph = 2;

// Draws a part of a modal: a row with an input, a label with one, or text. Of an
// input, name is its custom ID, and value() what was entered.
export function drawField(part) {
  if (part.type === kinds.text) return { element: make("div", "", markdown(part.content)) };
  const input = part.type === kinds.row ? part.components[0] : part.component;
  const required = input.required ?? true;
  const title = make("span", "name", part.label ?? input.label);
  if (required && input.type !== kinds.tick) title.append(make("span", "required", " *"));
  const words = make("span", "", title, ...(part.description ? [make("small", "", part.description)] : []));
  const { controls, value } = (draw[input.type] ?? text)(input, required);
  const element = arrange[input.type]?.(words, controls) ?? make("label", "", words, ...controls);
  return { element, name: input.custom_id, value };
}

// How the words stand to what they name; above it where nothing is said here.
const arrange = {
  [kinds.radios]: (words, controls) => make("fieldset", "", make("legend", "", words), ...controls),
  [kinds.ticks]: (words, controls) => make("fieldset", "", make("legend", "", words), ...controls),
  [kinds.tick]: (words, controls) => make("label", "tick", ...controls, words),
};

const draw = {
  [kinds.select]: menu,
  [kinds.radios]: (input, required) => group(input, "radio", required),
  [kinds.ticks]: (input) => group(input, "checkbox", false),
  [kinds.tick]: (input) => {
    const box = ticked("checkbox", input.custom_id, input.default);
    return { controls: [box], value: () => box.checked };
  },
};

function text(input, required) {
  const control = make(input.style === paragraph ? "textarea" : "input", "");
  control.name = input.custom_id;
  control.value = input.value ?? "";
  control.placeholder = input.placeholder ?? "";
  control.required = required;
  if (input.min_length) control.minLength = input.min_length;
  if (input.max_length) control.maxLength = input.max_length;
  return { controls: [control], value: () => control.value };
}

function menu(input, required) {
  const control = make("select", "", new Option(input.placeholder ?? "Make a selection", ""));
  control.append(...input.options.map((o) => {
    const name = [o.emoji?.name, o.label].filter(Boolean).join(" ");
    return new Option([name, o.description].filter(Boolean).join(" · "), o.value, o.default, o.default);
  }));
  control.name = input.custom_id;
  control.required = required;
  return { controls: [control], value: () => (control.value ? [control.value] : []) };
}

function group(input, type, required) {
  const boxes = input.options.map((option) => {
    const box = ticked(type, input.custom_id, option.default);
    box.value = option.value;
    box.required = required;
    return box;
  });
  const controls = boxes.map((box, i) => {
    const { label, description } = input.options[i];
    return make("label", "tick", box, make("span", "", label, ...(description ? [make("small", "", description)] : [])));
  });
  const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value);
  return { controls, value: type === "radio" ? () => chosen()[0] ?? "" : chosen };
}

function ticked(type, name, on) {
  const box = make("input", "");
  box.type = type;
  box.name = name;
  box.checked = on ?? false;
  return box;
}
