// A select menu as Discord draws it: a button that opens a list of options with
// emoji and descriptions. Where several may be chosen, the list stays open, and
// what is ticked counts when it is closed.

import { button, icon, make } from "./dom.js";
import { Listbox } from "./listbox.js";

let count = 0;

// choose(values) is called for what is chosen, unless that stands there already: Discord's clients send
// nothing then, until the message is updated and drawn anew.
export function drawSelect(component, choose) {
  const list = make("ul", "choices");
  list.id = "choices-" + count++;
  list.popover = "auto";
  list.setAttribute("aria-label", component.placeholder ?? "Choose");
  const chosen = component.options.filter((option) => option.default).map((option) => option.label).join(", ");
  const face = make("span", chosen ? "" : "placeholder", chosen || (component.placeholder ?? "Choose"));
  const trigger = button("select", "");
  trigger.append(face, icon("⌄"));
  trigger.role = "combobox";
  trigger.ariaHasPopup = "listbox";
  trigger.ariaExpanded = "false";
  trigger.ariaLabel = [component.placeholder ?? "Choose", chosen].filter(Boolean).join(": ");
  trigger.setAttribute("aria-controls", list.id);
  trigger.disabled = component.disabled ?? false;
  trigger.dataset.control = component.custom_id;
  trigger.popoverTargetElement = list;

  const box = new Listbox(list);
  const many = (component.max_values ?? 1) > 1;
  const ticked = new Set(component.options.filter((option) => option.default).map((option) => option.value));
  let standing = [...ticked];
  const send = (values) => {
    if (values.length === standing.length && values.every((value) => standing.includes(value))) return;
    standing = values;
    choose(values);
  };
  let taken = null; // the option that was ticked or unticked last
  const options = () =>
    component.options.map((option) => ({
      selected: taken ? option === taken : option.default,
      content: [many && icon(ticked.has(option.value) ? "☑" : "☐"), option.emoji && icon(option.emoji.name), optionText(option)].filter(Boolean),
      take: () => (many ? tick(option) : take(option)),
    }));
  const take = (option) => {
    list.hidePopover();
    const emptied = component.min_values === 0 && standing.includes(option.value);
    face.textContent = emptied ? component.placeholder : option.label;
    send(emptied ? [] : [option.value]);
  };
  const tick = (option) => {
    if (!ticked.delete(option.value) && ticked.size < component.max_values) ticked.add(option.value);
    taken = option;
    box.fill(trigger, options());
  };
  list.addEventListener("toggle", ({ newState }) => {
    if (newState === "open") {
      place(list, trigger);
      return box.fill(trigger, options());
    }
    box.clear();
    const chosenNow = component.options.filter((option) => ticked.has(option.value));
    if (!taken || chosenNow.length < (component.min_values ?? 1)) return;
    taken = null;
    face.textContent = chosenNow.map((option) => option.label).join(", ") || component.placeholder;
    send(chosenNow.map((option) => option.value));
  });
  trigger.addEventListener("keydown", (event) => key(event, list, box));
  const wrapper = make("div", "select-box", trigger, list);
  return wrapper;
}

function optionText(option) {
  const text = make("span", "", option.label);
  if (option.description) text.append(make("small", "", option.description));
  return text;
}

// Puts the list below its button, or above where there is more room.
function place(list, trigger) {
  const at = trigger.getBoundingClientRect();
  const below = innerHeight - at.bottom;
  const above = below < 220 && at.top > below;
  list.style.insetInlineStart = "auto";
  list.style.left = at.left + "px";
  list.style.width = at.width + "px";
  list.style.maxHeight = Math.min(above ? at.top : below, 360) - 12 + "px";
  list.style.top = above ? "auto" : at.bottom + 4 + "px";
  list.style.bottom = above ? innerHeight - at.top + 4 + "px" : "auto";
}

function key(event, list, box) {
  const open = list.matches(":popover-open");
  const act = open
    ? { ArrowDown: () => box.move(1), ArrowUp: () => box.move(-1), Enter: () => box.take(), " ": () => box.take(), Tab: () => list.hidePopover() }
    : { ArrowDown: () => list.showPopover(), ArrowUp: () => list.showPopover() };
  if (!act[event.key]) return;
  if (event.key !== "Tab") event.preventDefault();
  act[event.key]();
}
