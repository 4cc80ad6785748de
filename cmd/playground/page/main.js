// The page: who you are, where you are, and what you see there.

import * as api from "./api.js";
import { Composer } from "./composer.js";
import { drawMessage } from "./messages.js";
import { openModal } from "./modal.js";

const $ = (id) => document.getElementById(id);

let world;
let user; // of world.users
let channel; // of world.channels
let drawn = ""; // what is on the page, to leave it alone while nothing changed

const composer = new Composer(() => ({ user: user.id, channel: channel.id }));

async function start() {
  world = await api.world();
  $("user").replaceChildren(...world.users.map((u) => new Option(u.name, u.id)));
  $("locale").replaceChildren(...world.locales.map((l) => new Option(l, l)));
  $("user").addEventListener("change", () => become(world.users.find((u) => u.id === $("user").value)));
  $("locale").addEventListener("change", changeLocale);
  $("channels").replaceChildren(...world.channels.map(channelButton));
  enter(world.channels[0]);
  await become(world.users[0]);
  api.onChange(refresh);
}

async function become(other) {
  user = other;
  $("about").textContent = user.about;
  $("locale").value = user.locale;
  document.documentElement.lang = user.locale;
  composer.setCommands(await api.commands(user.id));
  await refresh();
}

async function changeLocale() {
  user.locale = $("locale").value;
  await api.setLocale(user.id, user.locale);
  await become(user);
}

function channelButton(c) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "# " + c.name;
  button.dataset.channel = c.id;
  button.addEventListener("click", () => {
    enter(c);
    refresh();
  });
  item.append(button);
  return item;
}

function enter(c) {
  channel = c;
  $("channel-name").textContent = "# " + c.name;
  for (const button of $("channels").querySelectorAll("button")) {
    button.ariaCurrent = String(button.dataset.channel === c.id);
  }
}

async function refresh() {
  const asked = { user: user.id, channel: channel.id };
  const view = await api.messages(asked.user, asked.channel);
  if (asked.user !== user.id || asked.channel !== channel.id) return;
  const text = JSON.stringify([asked, view]);
  if (text !== drawn) draw(view);
  drawn = text;
}

function draw({ messages, modal }) {
  const list = $("messages");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  const names = Object.fromEntries(world.users.map((u) => [u.id, u.name]));
  list.replaceChildren(...messages.map((m) =>
    drawMessage(m, names, (id, values) => press(m, id, values), () => dismiss(m))));
  if (atEnd) list.scrollTop = list.scrollHeight;
  if (modal) openModal(modal, (fields) => attempt(() => api.submit(user.id, modal.id, fields)));
}

const press = (message, customID, values) => attempt(() => api.press(user.id, message.id, customID, values));

const dismiss = (message) => attempt(() => api.dismiss(user.id, channel.id, message.id));

async function attempt(action) {
  composer.complain("");
  try {
    await action();
  } catch (error) {
    composer.complain(error.message);
  }
}

start();
