// The page: who you are, where you are, and what you see there.

import * as api from "./api.js";
import { Composer } from "./composer.js";
import { clearList, showMessages } from "./list.js";
import { openModal } from "./modal.js";

const $ = (id) => document.getElementById(id);

let world;
let user; // of world.users
let channel; // of world.channels
let asked = 0; // counts questions for messages: only the newest one's answer is shown
let away = false; // the server is

const composer = new Composer(() => ({ user: user.id, channel: channel.id }));

async function start() {
  $("user").addEventListener("change", () => attempt(() => become(world.users.find((u) => u.id === $("user").value))));
  $("locale").addEventListener("change", () => attempt(changeLocale));
  await load();
  api.watch({ changed: () => refresh().catch(() => {}), lost, found: () => attempt(found) });
}

// Reads who and what is there, and goes on as the one and where one was.
async function load() {
  world = await api.world();
  $("user").replaceChildren(...world.users.map((u) => new Option(u.name, u.id)));
  $("locale").replaceChildren(...world.locales.map((l) => new Option(languageName(l), l)));
  $("channels").replaceChildren(...world.channels.map(channelButton));
  const last = (list, key) => list.find((one) => one.name === sessionStorage.getItem(key)) ?? list[0];
  enter(last(world.channels, "channel"));
  await become(last(world.users, "user"));
}

function lost() {
  away = true;
  $("lost").hidden = false;
}

// A server that was started again knows nobody by the IDs of before.
async function found() {
  if (away) await load();
  away = false;
  $("lost").hidden = true;
}

async function become(other) {
  user = other;
  sessionStorage.setItem("user", user.name);
  $("user").value = user.id;
  $("about").textContent = user.about;
  $("locale").value = user.locale;
  $("picker").lang = user.locale;
  clearList(user.locale);
  const commands = await api.commands(user.id);
  if (user !== other) return;
  composer.setCommands(commands);
  await refresh();
}

async function changeLocale() {
  user.locale = $("locale").value;
  await api.setLocale(user.id, user.locale);
  await become(user);
}

const languages = new Intl.DisplayNames("en", { type: "language", style: "short" });
const languageName = (code) => `${languages.of(code)} (${code})`;

function channelButton(c) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "# " + c.name;
  button.dataset.channel = c.id;
  button.addEventListener("click", () => attempt(() => {
    enter(c);
    return refresh();
  }));
  item.append(button);
  return item;
}

function enter(c) {
  channel = c;
  sessionStorage.setItem("channel", channel.name);
  $("channel-name").textContent = "# " + c.name;
  for (const button of $("channels").querySelectorAll("button")) {
    button.ariaCurrent = String(button.dataset.channel === c.id);
  }
  if (user) clearList(user.locale);
}

async function refresh() {
  const asking = ++asked;
  const { messages, modal } = await api.messages(user.id, channel.id);
  if (asking !== asked) return;
  const names = Object.fromEntries([...world.users, ...world.channels].map((x) => [x.id, x.name]));
  showMessages(messages, names, press, dismiss);
  if (modal) openModal(modal, (fields) => attempt(() => api.submit(user.id, modal.id, fields)));
}

const press = (message, customID, values) => attempt(async () => {
  await api.press(user.id, channel.id, message.id, customID, values);
  await refresh();
});

const dismiss = (message) => attempt(async () => {
  await api.dismiss(user.id, channel.id, message.id);
  $("command").focus();
});

// Does something for the person, and tells where it can not be done.
async function attempt(action) {
  composer.complain("");
  try {
    await action();
  } catch (error) {
    if (!away) composer.complain(error.message);
  }
}

start().catch((error) => composer.complain(error.message));
