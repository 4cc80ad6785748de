// The panel that breaks what the bot depends on.

import * as api from "./api.js";
import { $, button, coalesced, make } from "./dom.js";

let crashed = ""; // the bot that was crashed last
let drawn = ""; // what is shown, to leave it alone while nothing changed

// Shows the switches; who() tells the user, attempt(action) does something for
// the person and says where it can not be done.
export function breakingPane(who, attempt) {
  return coalesced(async () => {
    const state = await api.breaking(who().id);
    const text = JSON.stringify([who().id, state]);
    if (text === drawn) return;
    drawn = text;
    const pane = $("breaking");
    const focused = pane.contains(document.activeElement) ? document.activeElement.id : "";
    pane.replaceChildren(
      make("p", "hint", "Break something, then use the bot as a customer. It keeps its promises: it always answers, and tells the truth."),
      ...state.parts.map((part) => drawPart(part, attempt)),
      drawBots(state.bots, who(), attempt),
    );
    if (focused) $(focused)?.focus();
  });
}

function drawPart(part, attempt) {
  const states = part.modes.filter((mode) => !mode.once);
  const current = states.find((mode) => mode.name === part.mode);
  const set = make("fieldset", part.mode === "normal" ? "" : "broken");
  set.append(
    make("legend", "", part.label),
    make("p", "state", make("b", "", current.label), ": ", current.about, make("small", "", part.state)),
    make("div", "switches", ...states.map((mode) => radio(part, mode, attempt))),
  );
  const events = part.modes.filter((mode) => mode.once);
  if (events.length) {
    set.append(make("div", "row", ...events.map((mode) => {
      const once = button("style-2", mode.label, () => attempt(() => api.breakPart(part.name, mode.name)));
      once.title = mode.about;
      once.id = `once-${part.name}-${mode.name}`;
      return once;
    })));
  }
  return set;
}

function radio(part, mode, attempt) {
  const input = make("input", "");
  input.type = "radio";
  input.name = part.name;
  input.id = `mode-${part.name}-${mode.name}`;
  input.checked = mode.name === part.mode;
  input.addEventListener("change", () => attempt(() => api.breakPart(part.name, mode.name)));
  const label = make("label", "", input, make("span", "", mode.label));
  label.title = mode.about;
  return label;
}

function drawBots(bots, user, attempt) {
  const set = make("fieldset", "", make("legend", "", `${user.name}’s bots`));
  if (!bots.length) {
    set.append(make("p", "state", "There is none to crash."));
    return set;
  }
  const choice = make("select", "", ...bots.map((bot) => new Option(`${bot.name} (${bot.status})`, bot.id)));
  choice.id = "crash-bot";
  choice.ariaLabel = "Bot to crash";
  choice.value = bots.some((bot) => bot.id === crashed) ? crashed : bots[0].id;
  const crash = button("style-4", "Crash it", () => attempt(() => {
    crashed = choice.value;
    return api.crash(user.id, choice.value);
  }));
  crash.id = "crash";
  set.append(make("p", "state", "A crash is the hosting service’s to know: the bot tells it when it asks again."), make("div", "row", choice, crash));
  return set;
}
