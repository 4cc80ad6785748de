// The suggestions above the box: a listbox that the focused input drives, so
// that the keyboard never leaves the input.

export class Picker {
  #list;
  #input = null;
  #picks = [];
  #active = 0;

  constructor(list) {
    this.#list = list;
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

  // A pick is a text, an optional detail and what taking it does. Without
  // picks the note, if any, is shown.
  show(input, picks, note = "") {
    this.hide();
    if (!picks.length && !note) return;
    this.#input = input;
    this.#picks = picks;
    this.#list.replaceChildren(...(picks.length ? picks.map((pick, i) => this.#item(pick, i)) : [noted(note)]));
    this.#list.hidden = false;
    input.ariaExpanded = "true";
    this.#activate(0);
  }

  hide() {
    this.#input?.removeAttribute("aria-activedescendant");
    if (this.#input) this.#input.ariaExpanded = "false";
    this.#input = null;
    this.#picks = [];
    this.#list.hidden = true;
    this.#list.replaceChildren();
  }

  #item(pick, i) {
    const item = document.createElement("li");
    item.role = "option";
    item.id = "pick-" + i;
    item.append(pick.text);
    if (pick.detail) {
      const detail = document.createElement("small");
      detail.textContent = pick.detail;
      item.append(detail);
    }
    item.addEventListener("mousedown", (event) => event.preventDefault()); // the input keeps the focus
    item.addEventListener("click", () => pick.take());
    return item;
  }

  #activate(i) {
    if (!this.#picks.length) return;
    this.#active = i;
    [...this.#list.children].forEach((item, at) => (item.ariaSelected = String(at === i)));
    this.#list.children[i].scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", "pick-" + i);
  }

  #key(event) {
    if (this.#list.hidden || event.isComposing) return;
    const count = this.#picks.length;
    const keys = { Escape: () => this.hide() };
    if (count) {
      keys.ArrowDown = () => this.#activate((this.#active + 1) % count);
      keys.ArrowUp = () => this.#activate((this.#active - 1 + count) % count);
      keys.Enter = () => this.#picks[this.#active].take();
      if (!event.shiftKey) keys.Tab = keys.Enter;
    }
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }
}

function noted(note) {
  const item = document.createElement("li");
  item.role = "option";
  item.ariaDisabled = "true";
  item.textContent = note;
  return item;
}
