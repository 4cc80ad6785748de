// Who is there: the accounts that one can be, and the list of members with
// their context menu.

import { $, avatar, button, icon, make } from "./dom.js";

// Draws whose account is used, and the list to use another.
export function drawAccounts(users, me, become) {
  const role = make("small", "", me.role);
  $("me").replaceChildren(avatar(me.name), make("span", "", me.name, " ", role), icon("⇅"));
  $("me").title = "Be somebody else";
  $("accounts").replaceChildren(...users.map((user) => {
    const choice = button("person", "", () => {
      $("accounts").hidePopover();
      become(user);
    });
    choice.append(avatar(user.name), make("span", "", make("b", "", user.name), " ", make("span", "pill", user.role), make("small", "", user.about)));
    choice.ariaCurrent = String(user === me);
    return choice;
  }));
}

// Draws the members, staff first. menu is what commands the bot offers for a
// person; act.use(command, person) uses one, act.become(person) is the
// playground's own.
export function drawMembers(users, me, menu, act) {
  const group = (title, list) => [
    make("h3", "", `${title} — ${list.length}`),
    make("ul", "plain", ...list.map((user) => make("li", "", member(user, me, menu, act)))),
  ];
  const focused = [...$("members").querySelectorAll(".person")].indexOf(document.activeElement);
  $("members").replaceChildren(
    make("p", "hint", "A person’s menu has what the bot offers for people: click, or press the menu key."),
    ...group("Staff", users.filter((user) => user.staff)),
    ...group("Members", users.filter((user) => !user.staff)),
  );
  if (focused >= 0) $("members").querySelectorAll(".person")[focused].focus();
}

function member(user, me, menu, act) {
  const list = make("div", "menu");
  list.popover = "auto";
  list.role = "menu";
  list.ariaLabel = user.name;
  const item = (text, take) => {
    const entry = button("", text, () => {
      list.hidePopover();
      take();
    });
    entry.role = "menuitem";
    return entry;
  };
  list.append(
    ...menu.map((command) => item("Apps ▸ " + command.shown, () => act.use(command, user))),
    item(user === me ? "This is you" : "Be " + user.name, () => act.become(user)),
  );
  const face = button("person", "");
  face.append(avatar(user.name), make("span", "", user.name, make("small", "", user.role)));
  face.ariaHasPopup = "menu";
  face.popoverTargetElement = list;
  face.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    list.showPopover();
  });
  list.addEventListener("toggle", ({ newState }) => {
    if (newState === "open") open(list, face);
  });
  list.addEventListener("keydown", (event) => move(event, list));
  return make("div", "member", face, list);
}

// Puts the menu beside the person's name, within the window.
function open(list, face) {
  const at = face.getBoundingClientRect();
  list.style.left = Math.max(8, Math.min(at.left, innerWidth - list.offsetWidth - 8)) + "px";
  list.style.top = Math.min(at.bottom, innerHeight - list.offsetHeight - 8) + "px";
  list.querySelector("button").focus();
}

function move(event, list) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const items = [...list.children];
  items[(items.indexOf(document.activeElement) + by + items.length) % items.length].focus();
}
