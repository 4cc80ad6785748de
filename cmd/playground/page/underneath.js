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
  const { interactions, apart } = await api.activity();
  const pane = $("underneath");
  if (!pane.children.length) pane.append(...explanation(), make("ol", "interactions plain"));
  const list = pane.querySelector(".interactions");
  const old = new Map([...list.children].map((item) => [item.dataset.id, item]));
  const items = interactions.map((interaction) => drawInteraction(interaction));
  if (apart.length) items.push(drawApart(apart));
  const same = (item) => old.get(item.dataset.id)?.dataset.text === item.dataset.text;
  if (items.length && !old.has(items[0].dataset.id)) items[0].firstChild.open = true; // the newest, when it comes
  arrange(list, items.map((item) => (same(item) ? old.get(item.dataset.id) : item)), replace);
});

const explanation = () => [
  make("p", "hint", "Each thing that somebody does, from Discord’s event to the bot’s answer. Open a step to see what was sent."),
  make("p", "hint", "Calls to Discord are told by the interaction’s token; Redis and the service by the user and the time. Tokens are hidden."),
];

// Puts what is newer in the place of what was, as open as that.
function replace(before, next) {
  const open = [...before.querySelectorAll("details[open]")].map((details) => details.dataset.id);
  for (const details of next.querySelectorAll("details")) details.open = open.includes(details.dataset.id);
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
  const cut = interaction.cut ? [make("p", "hint", "What came first is not kept any more.")] : [];
  const item = make("li", "", details(interaction.id, summary, ...cut, drawSteps(interaction.steps)));
  item.dataset.id = interaction.id;
  item.dataset.text = JSON.stringify([interaction, late]);
  return item;
}

function drawApart(steps) {
  const summary = make("summary", "", make("b", "", "Apart from interactions"), make("small", "", "connecting, registering commands, log channels"));
  const start = steps[0].after;
  const item = make("li", "", details("apart", summary, drawSteps(steps.map((step) => ({ ...step, after: step.after - start })))));
  item.dataset.id = "apart";
  item.dataset.text = JSON.stringify(steps);
  return item;
}

function details(id, ...children) {
  const element = make("details", "", ...children);
  element.dataset.id = id;
  return element;
}

function drawSteps(steps) {
  const total = Math.max(...steps.map((step) => step.after + (step.took ?? 0)), 1);
  return make("ol", "steps plain", ...steps.map((step) => drawStep(step, total)));
}

function drawStep(step, total) {
  const kind = kinds[step.kind];
  const bar = make("span", "bar");
  bar.style.setProperty("--from", (100 * step.after) / total + "%");
  bar.style.setProperty("--length", (100 * (step.took ?? total - step.after)) / total + "%");
  const times = `+${duration(step.after)}` + (step.took === null ? ", going on" : step.took ? `, took ${duration(step.took)}` : "");
  const outcome = make("span", step.failed ? "failed" : "outcome", step.outcome);
  const sign = make("span", "kind " + step.kind, icon(kind.sign), kind.name);
  const summary = make("summary", "", sign, make("span", "title", step.title), outcome, make("span", "detail", step.detail), make("small", "", times), bar);
  const content = make("div", "content", make("p", "detail", step.detail));
  const element = details("step-" + step.id, summary, content);
  element.addEventListener("toggle", () => {
    if (element.open && content.children.length === 1) showBodies(step.id, content);
  });
  return make("li", step.failed ? "bad" : "", element);
}

async function showBodies(id, content) {
  try {
    const { request, response } = await api.step(id);
    if (request) content.append(make("h4", "", "Sent"), make("pre", "", pretty(request)));
    if (response) content.append(make("h4", "", "Answered"), make("pre", "", pretty(response)));
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
