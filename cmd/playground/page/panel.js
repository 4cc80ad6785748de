// The panel at the side, of which one pane is shown or none.

import { $, button, icon, make } from "./dom.js";

export class Panel {
  #panes;
  #shown = null;

  // A pane has an id, a title, an icon and show(), which is called when it is
  // opened and, of a live one, whenever something has happened.
  constructor(panes) {
    this.#panes = panes;
    $("tools").append(...panes.map((pane) => {
      const tool = button("tool", "", () => this.toggle(pane.id));
      tool.append(icon(pane.icon), make("span", "", pane.title));
      tool.setAttribute("aria-controls", "panel");
      tool.dataset.pane = pane.id;
      return tool;
    }));
    $("close-panel").addEventListener("click", () => this.toggle(this.#shown.id));
    this.open(sessionStorage.getItem("pane"));
  }

  toggle(id) {
    this.open(this.#shown?.id === id ? null : id);
  }

  open(id) {
    const before = this.#shown;
    this.#shown = this.#panes.find((pane) => pane.id === id) ?? null;
    sessionStorage.setItem("pane", this.#shown?.id ?? "");
    $("panel").hidden = !this.#shown;
    $("panel-title").textContent = this.#shown?.title ?? "";
    for (const pane of this.#panes) $(pane.id).hidden = pane !== this.#shown;
    for (const tool of $("tools").children) tool.ariaExpanded = String(tool.dataset.pane === this.#shown?.id);
    if (this.#shown) return this.refresh();
    if (before) $("tools").querySelector(`[data-pane=${before.id}]`).focus();
  }

  // Marks a pane's button, with what it means.
  mark(id, meaning) {
    const tool = $("tools").querySelector(`[data-pane=${id}]`);
    tool.classList.toggle("marked", Boolean(meaning));
    tool.ariaDescription = meaning;
    tool.title = meaning;
  }

  refresh() {
    this.#shown?.show();
  }

  happened() {
    if (this.#shown?.live) this.refresh();
  }
}
