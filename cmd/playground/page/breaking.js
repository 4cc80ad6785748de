// The panel that breaks what the bot depends on. What is drawn is changed in
// place, so that nothing moves from under the pointer.

import * as api from "./api.js";
import { $, button, coalesced, make } from "./dom.js";

// Returns what shows the switches; who() tells the user, attempt(action) does
// something for the person and says where it can not be done.
export function breakingPane(who, attempt) {
  const updates = new Map(); // of the parts, by name
  const bots = new Bots(who, attempt);
  return coalesced(async () => {
    const user = who();
    const state = await api.breaking(user.id);
    if (!updates.size) {
      const repair = button("style-1", "Repair everything", () => attempt(api.repair));
      repair.id = "repair";
      const drawn = state.parts.map((part) => drawPart(part, attempt));
      drawn.forEach(({ update }, i) => updates.set(state.parts[i].name, update));
      $("breaking").replaceChildren(
        make("p", "hint", "Break something, then use the bot as a customer; below each switch is what one reads then. Whatever the hosting service and Redis do, the bot answers every command in time, and with what is true."),
        make("p", "hint", "Where Discord brings no commands or takes no answers, nobody can answer: Discord says so itself, and what was asked for was not done."),
        make("p", "row", repair),
        ...drawn.map(({ element }) => element),
        bots.element,
      );
    }
    for (const part of state.parts) updates.get(part.name)(part);
    bots.update(user, state.bots);
  });
}

// Draws a part of the system, and returns it with what brings it up to date.
function drawPart(part, attempt) {
  const states = part.modes.filter((mode) => !mode.once);
  const events = part.modes.filter((mode) => mode.once);
  const rows = states.map((mode) => drawState(part, mode, attempt));
  const [waits, more] = [make("b", "waits"), make("small", "")];
  const element = make("fieldset", "",
    make("legend", "", part.label),
    make("p", "state", waits, more),
    ...rows.map((row) => row.element),
    ...events.map((mode) => drawEvent(part, mode, attempt)),
  );
  const update = (now) => {
    element.classList.toggle("broken", now.mode !== "normal");
    showWait(waits, now);
    more.textContent = now.state;
    now.modes.filter((mode) => !mode.once).forEach((mode, i) => rows[i].update(mode, mode.name === now.mode));
  };
  return { element, update };
}

// Says that the bot waits although nothing is broken any more, and counts down.
function showWait(element, now) {
  element.dataset.until = now.mode === "normal" && now.waits ? Date.now() + now.waits : "";
  element.dataset.then = now.mode === "normal" && now.hesitates ? "The bot takes it for broken until it has tried: with the next command." : "";
  countDown(element);
}

function countDown(element) {
  const left = Math.ceil((element.dataset.until - Date.now()) / 1000);
  const text = left > 0 ? `The bot tries again in ${left} s.` : element.dataset.then;
  if (element.textContent !== text) element.textContent = text;
}

setInterval(() => document.querySelectorAll(".waits").forEach(countDown), 500);

function drawState(part, mode, attempt) {
  const input = make("input", "");
  input.type = "radio";
  input.name = part.name;
  input.value = mode.name;
  input.id = `mode-${part.name}-${mode.name}`;
  input.addEventListener("change", () => attempt(() => api.breakPart(part.name, mode.name)));
  const reads = make("p", "reads");
  reads.id = input.id + "-reads";
  input.setAttribute("aria-describedby", reads.id);
  const update = (now, checked) => {
    input.checked = checked;
    showReads(reads, now.reads);
  };
  return { element: make("div", "switch", make("label", "", input, make("b", "", mode.label), ": " + mode.about), reads), update };
}

function drawEvent(part, mode, attempt) {
  const event = button("style-2", mode.label, () => attempt(() => api.breakPart(part.name, mode.name)));
  event.id = `once-${part.name}-${mode.name}`;
  const reads = make("p", "reads");
  showReads(reads, mode.reads);
  return make("div", "switch", make("div", "event", event, make("span", "", mode.about)), reads);
}

// Shows what a customer reads, in that one's language.
function showReads(element, { quote, locale, else: besides }) {
  const text = JSON.stringify([quote, locale, besides]);
  if (element.dataset.text === text) return;
  element.dataset.text = text;
  const quoted = make("q", "", quote);
  quoted.lang = locale;
  element.replaceChildren(...[quote && quoted, quote && besides && " ", besides].filter(Boolean));
}

// The user's bots, of which one can be made to crash, be suspended, or run again.
class Bots {
  #title = make("legend", "");
  #choice = make("select", "");
  #buttons;
  element;

  constructor(who, attempt) {
    this.#choice.id = "crash-bot";
    this.#choice.ariaLabel = "Bot to which something happens";
    const becomes = ([mode, style, label]) => {
      const made = button(style, label, () => attempt(() => api.become(who().id, this.#choice.value, mode)));
      made.id = mode;
      return made;
    };
    this.#buttons = [["crash", "style-4", "Crash it"], ["suspend", "style-2", "Suspend it"], ["run", "style-2", "Run it"]].map(becomes);
    const text = "A crash is the hosting service’s to know: the bot tells it when it asks again, by direct message where alerts are on, and in a panel’s channel where “Post outages here” is on. In quiet hours it tells later: have a bot crash and run again, another one crash, and then end the quiet hours in /alerts.";
    const several = "Under /bot list, choose several and press Restart. Suspend one of them before you confirm: it is left alone, and the others restart.";
    this.element = make("fieldset", "", this.#title, make("p", "state", text), make("p", "state", several), make("p", "row", this.#choice), make("div", "row", ...this.#buttons));
  }

  update(user, bots) {
    this.#title.textContent = `${user.name}’s bots`;
    const { value } = this.#choice;
    const options = bots.map((bot) => [`${bot.name} (${bot.status})`, bot.id]);
    const before = [...this.#choice.options].map((option) => [option.text, option.value]);
    if (JSON.stringify(before) !== JSON.stringify(options)) {
      this.#choice.replaceChildren(...options.map(([text, id]) => new Option(text, id)));
      if (bots.some((bot) => bot.id === value)) this.#choice.value = value;
    }
    for (const control of [this.#choice, ...this.#buttons]) control.disabled = !bots.length;
  }
}
