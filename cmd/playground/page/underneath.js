// The panel that shows what happens underneath each interaction.

import * as api from "./api.js";
import { $, arrange, coalesced, icon, make } from "./dom.js";

const kinds = {
  gateway: { name: "Event", sign: "⚡" },
  redis: { name: "Redis", sign: "🗄" },
  service: { name: "Service", sign: "🏠" },
  discord: { name: "Discord", sign: "💬" },
};

const patience = 3000; // ms that Discord waits for a first response

export const showUnderneath = coalesced(async () => {
  const { interactions, rounds, so_far, apart } = await api.activity();
  const pane = $("underneath");
  if (!pane.children.length) {
    pane.append(...explanation(), make("ul", "others interactions plain"), make("ol", "latest interactions plain"));
  }
  const others = [rounds?.length && drawRounds(rounds, so_far), apart?.length && drawApart(apart)].filter(Boolean);
  renew(pane.querySelector(".others"), others);
  const list = pane.querySelector(".latest");
  const comes = interactions.length && !list.querySelector(`:scope > [data-id="${interactions[0].id}"]`);
  const items = interactions.map(drawInteraction);
  if (comes) {
    closeNewest(list);
    unfold(items[0].firstChild);
  }
  renew(list, items);
});

const explanation = () => [
  make("p", "hint", "Each thing that somebody does, from Discord’s event to the bot’s answer. Open a step to see what was sent."),
  make("p", "hint", "Calls to Discord are told by the interaction’s token; Redis and the service by the user and the time. Tokens are hidden."),
];

// The newest is open when it comes, until another does: unless one reads in it.
function closeNewest(list) {
  const newest = list.querySelector("details");
  if (newest && !newest.querySelector("details[open]") && !newest.contains(document.activeElement)) newest.open = false;
}

// Has a list show these items. One that is as it was stays.
function renew(list, items) {
  const old = new Map([...list.children].map((item) => [item.dataset.id, item]));
  const same = (item) => old.get(item.dataset.id)?.dataset.text === item.dataset.text;
  arrange(list, items.map((item) => (same(item) ? old.get(item.dataset.id) : item)), replace);
}

// Puts what is newer in the place of what was, as open as that.
function replace(before, next) {
  for (const details of before.querySelectorAll("details[open]")) {
    const newer = next.querySelector(`details[data-id="${details.dataset.id}"]`);
    if (newer) unfold(newer);
  }
  const focused = before.contains(document.activeElement) && document.activeElement.closest("details").dataset.id;
  before.replaceWith(next);
  if (focused) next.querySelector(`details[data-id="${focused}"] > summary`)?.focus({ preventScroll: true });
}

function drawInteraction(interaction) {
  const late = interaction.answered === null && Date.now() - new Date(interaction.at) > patience;
  const answer = interaction.answered !== null ? `answered in ${duration(interaction.answered)}` : late ? "did not respond in 3 s" : "…";
  const outcome = make("span", late || interaction.answered > patience ? "failed" : "fine", answer);
  const at = make("time", "", new Date(interaction.at).toLocaleTimeString());
  const summary = make("summary", "", make("b", "", interaction.title), make("small", "", interaction.user, " • ", at, " • ", outcome));
  return drawItem(interaction.id, [interaction, late], summary, () => [
    ...(interaction.cut ? [make("p", "hint", "Some steps in the middle are not kept any more.")] : []),
    drawSteps(interaction.steps),
  ]);
}

// What the bot does by itself again and again, the newest first.
function drawRounds(steps, soFar) {
  const summary = make("summary", "", make("b", "", "By itself"), make("small", "", `polling, alerts, panels, logs • ${soFar} steps so far, the latest are here`));
  return drawItem("rounds", [steps, soFar], summary, () => [drawSteps(steps.toReversed(), clock)]);
}

function drawApart(steps) {
  const summary = make("summary", "", make("b", "", "At the start"), make("small", "", "connecting, registering commands"));
  return drawItem("apart", steps, summary, () => [drawSteps(steps, clock)]);
}

function drawItem(id, shown, summary, fill) {
  const item = make("li", "", details(id, summary, fill));
  item.dataset.id = id;
  item.dataset.text = JSON.stringify(shown);
  return item;
}

const fills = new WeakMap(); // what returns the content of details

// Draws details that have their content while they are open: much can be kept, and little is read.
function details(id, summary, fill) {
  const element = make("details", "", summary);
  element.dataset.id = id;
  fills.set(element, fill);
  element.addEventListener("toggle", () => (element.open ? unfold(element) : element.replaceChildren(summary)));
  return element;
}

function unfold(element) {
  if (element.children.length === 1) element.append(...fills.get(element)());
  element.open = true;
}

const clock = (step) => new Date(step.after).toLocaleTimeString();
const sinceStart = (step) => "+" + duration(step.after);

function drawSteps(steps, when = sinceStart) {
  const from = when === clock ? Math.min(...steps.map((step) => step.after)) : 0;
  const total = Math.max(...steps.map((step) => step.after - from + (step.took ?? 0)), 1);
  return make("ol", "steps plain", ...steps.map((step) => drawStep(step, from, total, when)));
}

function drawStep(step, from, total, when) {
  const kind = kinds[step.kind];
  const bar = make("span", "bar");
  bar.style.setProperty("--from", (100 * (step.after - from)) / total + "%");
  bar.style.setProperty("--length", (100 * (step.took ?? total - (step.after - from))) / total + "%");
  const times = when(step) + (step.took === null ? ", going on" : step.took ? `, took ${duration(step.took)}` : "");
  const outcome = make("span", step.failed ? "failed" : "outcome", step.outcome);
  const sign = make("span", "kind " + step.kind, icon(kind.sign), kind.name);
  const summary = make("summary", "", sign, make("span", "title", step.title), outcome, make("span", "detail", step.detail), make("small", "", times), bar);
  const element = details("step-" + step.id, summary, () => {
    const content = make("div", "content", make("p", "detail", step.detail));
    showBodies(step.id, content);
    return [content];
  });
  return make("li", step.failed ? "bad" : "", element);
}

async function showBodies(id, content) {
  try {
    const { request, response } = await api.step(id);
    if (request) content.append(make("h3", "", "Sent"), make("pre", "", pretty(request)));
    if (response) content.append(make("h3", "", "Answered"), make("pre", "", pretty(response)));
    if (!request && !response) content.append(make("p", "hint", "Without a body."));
  } catch (error) {
    content.append(make("p", "failed", error.message));
  }
  for (const body of content.querySelectorAll("pre")) body.tabIndex = 0; // it scrolls
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function duration(ms) {
  if (ms < 1000) return (ms < 10 ? ms.toFixed(1) : Math.round(ms)) + " ms";
  return (ms / 1000).toFixed(1) + " s";
}
