// A list of options that another element drives, so that the keyboard's focus
// never leaves that element (the combobox pattern of the ARIA guide).

import { make } from "./dom.js";

export class Listbox {
  #list;
  #driver = null;
  #options = [];
  #active = -1;

  constructor(list) {
    this.#list = list;
    list.role = "listbox";
  }

  get filled() {
    return this.#driver !== null;
  }

  // Shows options, of which each has content, what taking it does, and perhaps
  // that it is selected. Without any, the note is shown. None is active at first
  // where they are idle.
  fill(driver, options, note = "", idle = false) {
    this.clear();
    this.#driver = driver;
    this.#options = options;
    this.#list.replaceChildren(...options.map((option, i) => this.#item(option, i)));
    if (!options.length) this.#list.append(noted(note));
    driver.ariaExpanded = "true";
    this.#active = -1;
    if (!idle) this.#activate(Math.max(options.findIndex((option) => option.selected), 0));
  }

  clear() {
    this.#driver?.removeAttribute("aria-activedescendant");
    if (this.#driver) this.#driver.ariaExpanded = "false";
    this.#driver = null;
    this.#options = [];
    this.#list.replaceChildren();
  }

  // Moves by so many options, round and round.
  move(by) {
    const count = this.#options.length;
    const from = this.#active < 0 && by < 0 ? 0 : this.#active;
    if (count) this.#activate((from + by + count) % count);
  }

  // Takes the option that is active, and tells whether there is one.
  take() {
    const option = this.#options[this.#active];
    option?.take();
    return Boolean(option);
  }

  #item(option, i) {
    const item = make("li", "", ...option.content);
    item.role = "option";
    item.id = `${this.#list.id}-${i}`;
    item.addEventListener("mousedown", (event) => event.preventDefault()); // the driver keeps the focus
    item.addEventListener("click", () => option.take());
    return item;
  }

  #activate(i) {
    if (!this.#options.length) return;
    this.#active = i;
    [...this.#list.children].forEach((item, at) => (item.ariaSelected = String(at === i)));
    this.#list.children[i].scrollIntoView({ block: "nearest" });
    this.#driver.setAttribute("aria-activedescendant", this.#list.children[i].id);
  }
}

function noted(note) {
  const item = make("li", "", note);
  item.role = "option";
  item.ariaDisabled = "true";
  return item;
}
