// The box at the bottom: a command is picked, its options are filled in with
// suggestions, and sent.

import * as api from "./api.js";

const $ = (id) => document.getElementById(id);

// where() tells the user and the channel at the time of asking.
export class Composer {
  #where;
  #commands = [];
  #command = null;
  #picks = [];
  #active = 0;
  #asked = 0;

  constructor(where) {
    this.#where = where;
    $("command").addEventListener("input", () => this.#suggestCommands());
    $("command").addEventListener("keydown", (event) => this.#key(event));
    $("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !event.target.closest("input, select, dialog")) $("command").focus();
    });
  }

  setCommands(commands) {
    this.#commands = commands;
    this.reset();
  }

  reset() {
    this.#command = null;
    $("chosen").hidden = true;
    $("options").replaceChildren();
    $("command").value = "";
    $("command").hidden = false;
    this.#pick([]);
    this.complain("");
  }

  complain(text) {
    $("problem").textContent = text;
    $("problem").hidden = !text;
  }

  #suggestCommands() {
    const typed = $("command").value.toLowerCase();
    if (!typed.startsWith("/")) return this.#pick([]);
    const fitting = this.#commands.filter((c) => ("/" + c.shown).includes(typed) || ("/" + c.name).includes(typed));
    this.#pick(fitting.map((c) => ({ text: "/" + c.shown, detail: c.description, take: () => this.#choose(c) })));
  }

  #choose(command) {
    this.#command = command;
    $("chosen").textContent = "/" + command.shown;
    $("chosen").hidden = false;
    $("command").hidden = true;
    $("options").replaceChildren(...command.options.map((option) => this.#field(option)));
    this.#pick([]);
    const first = $("options").querySelector("input");
    if (first) first.focus();
    else $("composer").querySelector("[type=submit]").focus();
  }

  #field(option) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.dataset.option = option.name;
    input.required = option.required;
    input.placeholder = option.description;
    label.append(option.shown + " ", input);
    input.addEventListener("keydown", (event) => this.#key(event));
    if (option.autocomplete) {
      const ask = () => this.#complete(option.name, input);
      input.addEventListener("focus", ask);
      input.addEventListener("input", () => {
        delete input.dataset.value;
        ask();
      });
    }
    return label;
  }

  // Only the newest question's answer counts.
  async #complete(option, input) {
    const asked = ++this.#asked;
    const { user, channel } = this.#where();
    let choices;
    try {
      choices = (await api.complete(user, channel, this.#command.name, option, this.#values())).choices;
    } catch {
      choices = [];
    }
    if (asked !== this.#asked || !this.#command) return;
    const take = (choice) => () => {
      input.value = choice.name;
      input.dataset.value = choice.value;
      this.#pick([]);
      input.focus({ preventScroll: true });
      this.#pick([]);
      this.#asked++;
    };
    this.#pick(choices.map((choice) => ({ text: choice.name, detail: choice.value, take: take(choice) })));
  }

  #values() {
    const values = {};
    for (const input of $("options").querySelectorAll("input")) {
      const value = input.dataset.value ?? input.value;
      if (value) values[input.dataset.option] = value;
    }
    return values;
  }

  #pick(picks) {
    this.#picks = picks;
    this.#active = 0;
    $("picker").hidden = picks.length === 0;
    $("picker").replaceChildren(...picks.map((pick, i) => {
      const item = document.createElement("li");
      item.role = "option";
      item.ariaSelected = String(i === 0);
      const detail = document.createElement("small");
      detail.textContent = pick.detail;
      item.append(pick.text, detail);
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        pick.take();
      });
      return item;
    }));
  }

  #key(event) {
    if (event.key === "Escape") return this.reset();
    if (event.key === "Backspace" && this.#command && !event.target.value) return this.reset();
    if (!this.#picks.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.#active = (this.#active + step + this.#picks.length) % this.#picks.length;
      [...$("picker").children].forEach((item, i) => (item.ariaSelected = String(i === this.#active)));
      $("picker").children[this.#active].scrollIntoView({ block: "nearest" });
      event.preventDefault();
    } else if (event.key === "Enter" || event.key === "Tab") {
      event.preventDefault();
      this.#picks[this.#active].take();
    }
  }

  async #send() {
    if (!this.#command) return this.complain("Type / and pick a command.");
    const { user, channel } = this.#where();
    const { name } = this.#command;
    const options = this.#values();
    this.reset();
    try {
      await api.sendCommand(user, channel, name, options);
    } catch (error) {
      this.complain(error.message);
    }
    $("command").focus();
  }
}
