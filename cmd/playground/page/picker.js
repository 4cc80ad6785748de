// The suggestions above the box, for whichever input is focused.

import { Listbox } from "./listbox.js";

export class Picker {
  #list;
  #box;

  constructor(list) {
    this.#list = list;
    this.#box = new Listbox(list);
  }

  // Lets an input have suggestions.
  attach(input) {
    input.role = "combobox";
    input.ariaAutoComplete = "list";
    input.ariaExpanded = "false";
    input.setAttribute("aria-controls", this.#list.id);
    input.addEventListener("keydown", (event) => this.#key(event));
    input.addEventListener("blur", () => this.hide());
  }

  // Shows options of a Listbox, or the note where there are none. Idle ones wait
  // for an arrow key before one of them is taken.
  show(input, options, note = "", idle = false) {
    this.hide();
    if (!options.length && !note) return;
    this.#list.hidden = false;
    this.#box.fill(input, options, note, idle);
  }

  hide() {
    this.#box.clear();
    this.#list.hidden = true;
  }

  #key(event) {
    if (!this.#box.filled || event.isComposing) return;
    const keys = {
      Escape: () => this.hide(),
      ArrowDown: () => this.#box.move(1),
      ArrowUp: () => this.#box.move(-1),
      Enter: () => this.#box.take(),
    };
    if (!event.shiftKey) keys.Tab = keys.Enter;
    if (!keys[event.key] || keys[event.key]() === false) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
