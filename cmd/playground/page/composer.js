// The box at the bottom: a command is picked, its options are filled in with
// suggestions, and sent.

import * as api from "./api.js";
import { $, avatar, make } from "./dom.js";
import { Picker } from "./picker.js";

// where() tells the user and the channel at the time of asking. sending() is called
// when a command is sent, and sent(outcome, where) once it is answered.
export class Composer {
  #where;
  #sending;
  #sent;
  #picker = new Picker($("picker"));
  #commands = [];
  #command = null;
  #asked = 0;

  constructor(where, sending, sent) {
    this.#where = where;
    this.#sending = sending;
    this.#sent = sent;
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
      if (event.key === "/" && !event.target.closest("input, select, textarea, dialog, [popover]")) $("command").focus();
    });
  }

  setCommands(commands, language) {
    this.#commands = commands;
    for (const id of ["picker", "options", "chosen"]) $(id).lang = language;
    // Whoever is filling in a command goes on, if there still is one that is called so.
    if (this.#command && commands.some((c) => c.name === this.#command.name && c.shown === this.#command.shown)) return;
    const typed = $("command").value; // while the commands were on their way
    this.#reset();
    $("command").value = typed;
    if (document.activeElement === $("command")) this.#suggestCommands();
  }

  // What a command is called in the user's language.
  shown(name) {
    return "/" + (this.#commands.find((c) => "/" + c.name === name)?.shown ?? name.slice(1));
  }

  // Begins a command, as if it were being typed.
  type(text) {
    this.#reset();
    $("command").value = text;
    $("command").focus();
    this.#suggestCommands();
  }

  // Begins a command that was mentioned by its name.
  begin(name) {
    const command = this.#commands.find((c) => c.name === name || c.shown === name);
    if (command) this.#choose(command);
    else this.type("/" + name);
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
    const place = (c) => Math.min(rank(c.shown, typed.slice(1)), rank(c.name, typed.slice(1)));
    const options = ranked(fitting, place).map((c) => ({ content: drawCommand(c), take: () => this.#choose(c) }));
    this.#picker.show($("command"), options, this.#commands.length ? "No command fits." : "Loading commands…");
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
    const input = make("input", "");
    input.dataset.option = option.name;
    input.required = option.required;
    input.placeholder = (option.required ? "" : "Optional: ") + option.description;
    const label = make("label", "", make("span", "", option.shown), input);
    const ask = option.autocomplete ? () => this.#complete(option.name, input) : () => this.#offer(option.choices, input);
    if (option.autocomplete || option.choices.length) {
      this.#picker.attach(input);
      input.addEventListener("focus", ask);
    }
    input.addEventListener("input", () => {
      delete input.dataset.value;
      input.ariaInvalid = null;
      ask();
    });
    return label;
  }

  // Offers what Discord itself knows of an option.
  #offer(choices, input) {
    if (!choices.length) return;
    const typed = input.value.toLowerCase();
    const fitting = choices.filter((choice) => choice.name.toLowerCase().includes(typed));
    const bare = (name) => name.replace("@", "").toLowerCase();
    this.#suggest(input, ranked(fitting, (choice) => rank(bare(choice.name), bare(typed))), "No suggestions.");
  }

  // Offers what the bot says. Only the newest question's answer counts.
  async #complete(option, input) {
    const asked = ++this.#asked;
    const { user, channel } = this.#where();
    let choices = [];
    let note = "No options match your search.";
    try {
      choices = (await api.complete(user, channel, this.#command.name, option, this.#values())).choices ?? [];
    } catch {
      note = "Loading options failed";
    }
    if (asked === this.#asked && document.activeElement === input) this.#suggest(input, choices, note);
  }

  // Of what may be left out nothing is taken unless one begins to choose, so that
  // Enter sends the command without it.
  #suggest(input, choices, note) {
    const idle = !input.required && !input.value;
    const take = (choice) => {
      this.#asked++;
      input.value = choice.name;
      input.dataset.value = choice.value;
      this.#picker.hide();
    };
    this.#picker.show(input, choices.map((choice) => ({ content: [choice.name], take: () => take(choice) })), note, idle);
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
    const typed = $("command").value.trim().toLowerCase();
    const exact = this.#commands.find((c) => ["/" + c.shown, "/" + c.name].includes(typed));
    if (!this.#command && exact) this.#choose(exact);
    if (!this.#command) return this.complain(typed && "Type / and pick a command.");
    const missing = [...$("options").querySelectorAll("input:required")].find((input) => !input.value);
    if (missing) {
      missing.ariaInvalid = "true";
      missing.focus();
      return this.complain("This option is required. Specify a value.");
    }
    const where = this.#where();
    const { name } = this.#command;
    const options = this.#values();
    this.#sending();
    this.#cancel();
    try {
      this.#sent(await api.sendCommand(where.user, where.channel, name, options), where);
    } catch (error) {
      this.complain(error.message);
    }
  }
}

// How well a text fits what was typed: best where it begins so, then where one of
// its words does.
function rank(text, typed) {
  return text.startsWith(typed) ? 0 : text.includes(" " + typed) ? 1 : 2;
}

const ranked = (list, place) => list.toSorted((a, b) => place(a) - place(b));

function drawCommand(command) {
  const name = make("b", "", "/" + command.shown);
  const options = command.options.map((option) => make("span", "pill", option.shown));
  const text = make("span", "", name, " ", ...options, make("small", "", command.description));
  return [avatar("hostbot"), text, make("span", "of", "hostbot")];
}
