// The list of channels, and how a channel begins.

import { $, button, icon, make } from "./dom.js";

export const directMessages = { id: "dm", name: "hostbot", dm: true };

const seen = {}; // the latest message that was looked at, by user and channel

// Draws the channels; enter(channel) goes to one.
export function drawChannels(channels, enter) {
  const group = (title, list) => list.length ? [make("h2", "", title), make("ul", "plain", ...list.map((c) => make("li", "", entry(c, enter))))] : [];
  $("channels").replaceChildren(
    ...group("Direct messages", [directMessages]),
    ...group("Channels", channels.filter((c) => !c.private)),
    ...group("Staff only", channels.filter((c) => c.private)),
  );
}

function entry(channel, enter) {
  const link = button("channel", "", () => enter(channel));
  link.append(icon(mark(channel)), make("span", "", channel.name), make("span", "unread"));
  link.dataset.channel = channel.id;
  link.classList.toggle("thread", Boolean(channel.thread));
  return link;
}

export const mark = (channel) => (channel.dm ? "@" : channel.thread ? "🧵" : channel.private ? "🔒" : "#");

// Shows which channel one is in.
export function markCurrent(channel) {
  $("channel-name").replaceChildren(icon(mark(channel)), " ", channel.name);
  for (const link of $("channels").querySelectorAll("button")) {
    link.ariaCurrent = String(link.dataset.channel === channel.id);
  }
}

// Shows where there is something new; latest are the newest messages' IDs.
export function markUnread(user, current, latest) {
  for (const link of $("channels").querySelectorAll("button")) {
    const id = link.dataset.channel;
    const key = user.id + id;
    if (id === current.id) seen[key] = latest[id];
    const unread = Boolean(latest[id]) && latest[id] !== seen[key];
    link.classList.toggle("news", unread);
    link.querySelector(".unread").textContent = unread ? " (new)" : "";
  }
}

// Draws how a channel begins: what Discord says there and, in the first one,
// what there is to try.
export function drawBeginning(channel, steps) {
  const title = channel.dm ? "hostbot" : channel.thread ? channel.name : `Welcome to #${channel.name}!`;
  const text = channel.dm
    ? "This is the beginning of your direct message history with hostbot."
    : channel.thread
    ? "Started by hostbot. Only staff can see it."
    : channel.private
      ? `This is the start of the #${channel.name} channel. Only staff can see it.`
      : `This is the start of the #${channel.name} channel.`;
  const sign = icon(mark(channel));
  sign.className = "sign";
  $("beginning").replaceChildren(sign, make("h2", "", title), make("p", "", text));
  if (channel.dm || channel.private) return;
  $("beginning").append(make("ol", "steps", ...steps.map((step) =>
    make("li", "", make("b", "", step.title), make("p", "", step.text), button("style-1", step.label, step.act)))));
}
