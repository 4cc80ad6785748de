// The page: who you are, where you are, and what you see there.

import * as api from "./api.js";
import { breakingPane } from "./breaking.js";
import { directMessages, drawBeginning, drawChannels, markCurrent, markUnread } from "./channels.js";
import { Composer } from "./composer.js";
import { $, coalesced } from "./dom.js";
import { clearList, showMessages } from "./list.js";
import { openModal } from "./modal.js";
import { Panel } from "./panel.js";
import { drawAccounts, drawMembers } from "./people.js";
import { showUnderneath } from "./underneath.js";

let world;
let user; // of world.users
let channel; // of world.channels, or directMessages
let menu = []; // the commands in a person's context menu
let away = false; // the server is

const here = () => ({ user: user.id, channel: channel.id });
const composer = new Composer(here, uncover, fillIn);
let panel;

async function start() {
  $("locale").addEventListener("change", () => attempt(changeLocale));
  $("appearance").addEventListener("change", () => appear($("appearance").value));
  appear(localStorage.getItem("appearance") ?? "light dark");
  $("messages").addEventListener("click", ({ target }) => {
    if (target.dataset.command) composer.begin(target.dataset.command);
  });
  $("open-side").addEventListener("click", () => showSide(true));
  $("close-side").addEventListener("click", () => showSide(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.body.classList.contains("side")) showSide(false);
  });
  await load();
  panel = new Panel([
    { id: "members", title: "Members", icon: "👥", show: showMembers },
    { id: "underneath", title: "Underneath", icon: "🔬", live: true, show: () => showUnderneath().catch(() => {}) },
    { id: "breaking", title: "Break it", icon: "🔨", live: true, show: () => breaking().catch(() => {}) },
  ]);
  api.watch({ changed, lost, found: () => attempt(found) });
}

// Reads who and what is there, and goes on as the one and where one was.
async function load() {
  world = await api.world("");
  $("locale").replaceChildren(...world.locales.map((l) => new Option(languageName(l), l)));
  await become(remembered(world.users, "user") ?? world.users[0]);
}

// Shows the page as dark or light, or as the system is.
function appear(scheme) {
  localStorage.setItem("appearance", scheme);
  $("appearance").value = scheme;
  document.documentElement.style.colorScheme = scheme;
}

const remembered = (list, key) => list.find((one) => one.name === sessionStorage.getItem(key));

function changed() {
  refresh().catch(() => {});
  panel.happened();
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
  const focused = document.activeElement;
  const seen = await api.world(other.id);
  world.channels = seen.channels;
  user = other;
  sessionStorage.setItem("user", user.name);
  $("locale").value = user.locale;
  drawAccounts(world.users, user, (next) => attempt(() => become(next)));
  drawChannels(world.channels, (next) => attempt(() => enter(next)));
  await enter(remembered([directMessages, ...world.channels], "channel") ?? world.channels[0]);
  panel?.refresh();
  if (!focused.isConnected && document.activeElement === document.body) $("scroller").focus(); // what had it belongs to the one before
}

async function changeLocale() {
  user.locale = $("locale").value;
  await api.setLocale(user.id, user.locale);
  await become(user);
}

const languages = new Intl.DisplayNames("en", { type: "language", style: "short" });
const languageName = (code) => `${languages.of(code)} (${code})`;

async function enter(next) {
  channel = next;
  sessionStorage.setItem("channel", channel.name);
  markCurrent(channel);
  drawBeginning(channel, firstSteps());
  showSide(false);
  clearList(user.locale);
  const [who, where] = [user, channel];
  const offered = await api.commands(user.id, channel.id);
  if (user !== who || channel !== where) return;
  composer.setCommands(offered.typed, user.locale);
  menu = offered.menu;
  await refresh();
}

// What a newcomer can try.
function firstSteps() {
  const staff = world.users.find((someone) => someone.staff);
  return [
    { title: "Use it", text: `You are ${user.name}. ${user.about}`, label: "Type /bot list", act: () => composer.type("/bot list") },
    { title: "Look underneath", text: "See what Discord, Redis and the hosting service are asked for each press.", label: "Open Underneath", act: () => panel.open("underneath") },
    { title: "Watch as staff", text: "Every action and every failure is in the log channels.", label: user === staff ? "Open their log" : "Be " + staff.name, act: () => attempt(() => watchAsStaff(staff)) },
    { title: "Break it", text: "Take the hosting service, Redis or Discord away, and use the bot again.", label: "Open Break it", act: () => panel.open("breaking") },
  ];
}

async function watchAsStaff(staff) {
  await become(staff);
  await enter(world.channels.find((c) => c.private));
}

// Where the panel is in front of the messages, it gives way to what is answered;
// the width is that of the style's.
function uncover() {
  if (matchMedia("(max-width: 44rem)").matches && !$("panel").hidden) panel.open(null);
}

function showSide(shown) {
  document.body.classList.toggle("side", shown);
  if (shown) $("close-side").focus();
}

const refresh = coalesced(async () => {
  const [who, where] = [user, channel];
  const { messages, latest, broken } = await api.messages(who.id, where.id);
  if (user !== who || channel !== where) return;
  if (Object.keys(latest).some((id) => id !== directMessages.id && !world.channels.some((c) => c.id === id))) { // a thread was started
    world.channels = (await api.world(who.id)).channels;
    if (user !== who || channel !== where) return;
    drawChannels(world.channels, (next) => attempt(() => enter(next)));
    markCurrent(channel);
  }
  const names = Object.fromEntries([...world.users, ...world.channels, ...world.roles].map((x) => [x.id, x.name]));
  for (const message of messages) if (message.command?.startsWith("/")) message.command = composer.shown(message.command);
  showMessages(messages, names, press, dismiss, channel.thread ? null : openThread);
  markUnread(user, channel, latest);
  panel?.mark("breaking", broken ? "something is broken" : "");
});

const openThread = (id) => attempt(() => enter(world.channels.find((c) => c.id === id)));

// Opens the form, if any, to which it led what a user did in a channel.
function fillIn({ modal }, where) {
  if (modal && where.user === user.id) openModal(modal, (fields) => api.submit(where.user, where.channel, modal.id, fields));
}

// Presses something, and returns what Discord says where there is no answer.
async function press(message, customID, values) {
  try {
    const where = here();
    fillIn(await api.press(where.user, where.channel, message.id, customID, values), where);
    await refresh();
    return "";
  } catch (error) {
    return error.message;
  }
}

const dismiss = (message) => attempt(async () => {
  const item = document.activeElement.closest("#messages > li");
  const near = item?.nextElementSibling ?? item?.previousElementSibling;
  await api.dismiss(user.id, channel.id, message.id);
  const focused = document.activeElement;
  if (focused !== document.body && !item?.contains(focused)) return; // one went on meanwhile
  (near?.isConnected ? near : $("scroller")).focus({ preventScroll: true });
});

const breaking = breakingPane(() => user, attempt);

function showMembers() {
  drawMembers(world.users, user, menu, {
    use: (command, target) => attempt(async () => {
      const where = here();
      fillIn(await api.useMenu(where.user, where.channel, command.name, target.id), where);
    }),
    become: (next) => attempt(() => become(next)),
  });
}

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
