// The box at the bottom: a command is picked, its options are filled in with
// suggestions, and sent.

import * as api from "./api.js";
import { Picker } from "./picker.js";

const $ = (id) => document.getElementById(id);

// where() tells the user and the channel at the time of asking.
export class Composer {
  #where;
  #picker = new Picker($("picker"));
  #commands = [];
  #command = null;
  #asked = 0;

  constructor(where) {
    this.#where = where;
    this.#picker.attach($("command"));
    $("command").addEventListener("input", () => this.#suggestCommands());
    $("command").addEventListener("focus", () => this.#suggestCommands());
    $("chosen").addEventListener("click", () => this.#cancel());
    $("composer").addEventListener("keydown", (event) => this.#key(event));
    $("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !event.target.closest("input, select, textarea, dialog")) $("command").focus();
    });
  }

  setCommands(commands) {
    this.#commands = commands;
    this.#reset();
  }

  complain(text) {
    $("problem").textContent = text;
    $("problem").hidden = !text;
  }

  #reset() {
    this.#command = null;
    this.#asked++;
    $("chosen").hidden = true;
    $("options").replaceChildren();
    $("command").value = "";
    $("command").hidden = false;
    this.#picker.hide();
    this.complain("");
  }

  #cancel() {
    this.#reset();
    $("command").focus();
  }

  #suggestCommands() {
    this.complain("");
    const typed = $("command").value.toLowerCase();
    if (!typed.startsWith("/")) return this.#picker.hide();
    const words = typed.slice(1).split(/\s+/);
    const fitting = this.#commands.filter((c) => words.every((word) => c.shown.includes(word) || c.name.includes(word)));
    const picks = fitting.map((c) => ({ text: "/" + c.shown, detail: c.description, take: () => this.#choose(c) }));
    this.#picker.show($("command"), picks, "No command fits.");
  }

  #choose(command) {
    this.#reset();
    this.#command = command;
    $("chosen").textContent = "/" + command.shown;
    $("chosen").hidden = false;
    $("command").hidden = true;
    $("options").replaceChildren(...command.options.map((option) => this.#field(option)));
    const first = $("options").querySelector("input") ?? $("send");
    first.focus();
  }

  #field(option) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.dataset.option = option.name;
    input.required = option.required;
    input.placeholder = option.description;
    label.append(option.shown + " ", input);
    if (option.autocomplete) {
      this.#picker.attach(input);
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
      choices = (await api.complete(user, channel, this.#command.name, option, this.#values())).choices ?? [];
    } catch {
      choices = [];
    }
    if (asked !== this.#asked || document.activeElement !== input) return;
    const take = (choice) => {
      this.#asked++;
      input.value = choice.name;
      input.dataset.value = choice.value;
      this.#picker.hide();
    };
    this.#picker.show(input, choices.map((choice) => ({ text: choice.name, take: () => take(choice) })), "No suggestions.");
  }

  #values() {
    const values = {};
    for (const input of $("options").querySelectorAll("input")) {
      const value = input.dataset.value ?? input.value;
      if (value) values[input.dataset.option] = value;
    }
    return values;
  }

  // Escape, or Backspace where nothing is left to delete, takes the command back.
  #key(event) {
    if (!this.#command || event.isComposing) return;
    if (event.key !== "Escape" && !(event.key === "Backspace" && !event.target.value)) return;
    event.preventDefault();
    this.#cancel();
  }

  async #send() {
    if (!this.#command) return this.complain($("command").value && "Type / and pick a command.");
    const { user, channel } = this.#where();
    const { name } = this.#command;
    const options = this.#values();
    this.#cancel();
    try {
      await api.sendCommand(user, channel, name, options);
    } catch (error) {
      this.complain(error.message);
    }
  }
}
