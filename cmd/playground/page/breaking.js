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
        make("p", "hint", "Break something, then use the bot as a customer. It keeps its promises: it always answers, and tells the truth. After a repair it may wait some seconds before it tries again."),
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
  const switches = states.map((mode) => radio(part, mode, attempt));
  const [name, about, more] = [make("b", ""), make("span", ""), make("small", "")];
  const element = make("fieldset", "",
    make("legend", "", part.label),
    make("p", "state", name, about, more),
    make("div", "switches", ...switches.map((one) => one.parentElement)),
  );
  if (events.length) element.append(make("div", "row", ...events.map((mode) => once(part, mode, attempt))));
  const update = (now) => {
    const current = states.find((mode) => mode.name === now.mode);
    element.classList.toggle("broken", now.mode !== "normal");
    name.textContent = current.label;
    about.textContent = ": " + current.about;
    more.textContent = now.state;
    for (const one of switches) one.checked = one.value === now.mode;
  };
  return { element, update };
}

function radio(part, mode, attempt) {
  const input = make("input", "");
  input.type = "radio";
  input.name = part.name;
  input.value = mode.name;
  input.id = `mode-${part.name}-${mode.name}`;
  input.addEventListener("change", () => attempt(() => api.breakPart(part.name, mode.name)));
  make("label", "", input, make("span", "", mode.label)).title = mode.about;
  return input;
}

function once(part, mode, attempt) {
  const event = button("style-2", mode.label, () => attempt(() => api.breakPart(part.name, mode.name)));
  event.title = mode.about;
  event.id = `once-${part.name}-${mode.name}`;
  return event;
}

// The user's bots, of which one can be made to crash.
class Bots {
  #title = make("legend", "");
  #choice = make("select", "");
  #crash;
  element;

  constructor(who, attempt) {
    this.#choice.id = "crash-bot";
    this.#choice.ariaLabel = "Bot to crash";
    this.#crash = button("style-4", "Crash it", () => attempt(() => api.crash(who().id, this.#choice.value)));
    this.#crash.id = "crash";
    const text = "A crash is the hosting service’s to know: the bot tells it when it asks again, and by direct message where alerts are on.";
    this.element = make("fieldset", "", this.#title, make("p", "state", text), make("div", "row", this.#choice, this.#crash));
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
    this.#choice.disabled = this.#crash.disabled = !bots.length;
  }
}
