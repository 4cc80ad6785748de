// Discord's markdown, as far as the bot's messages use it, as DOM nodes. Text
// is never read as HTML.

import { time } from "./time.js";

const timestamp = /^<t:(-?\d+)(?::([tTdDfFR]))?>/;
// Users, channels and commands, each with what is shown of them.
const mentions = [
  [/^<@!?(\d+)>/, (id, names) => "@" + (names[id] ?? id)],
  [/^<#(\d+)>/, (id, names) => "#" + (names[id] ?? id)],
  [/^<(\/[^:>]+):\d+>/, (command) => command],
];
const pairs = [
  ["```", "pre"],
  ["`", "code"],
  ["**", "strong"],
  ["__", "u"],
  ["~~", "s"],
  ["||", "span"],
  ["*", "em"],
  ["_", "em"],
];

// Returns a fragment; names are those of users and channels by their IDs.
export function markdown(text, names = {}) {
  const out = document.createDocumentFragment();
  let plain = "";
  const flush = () => {
    if (plain) out.append(plain);
    plain = "";
  };
  for (let i = 0; i < text.length;) {
    const rest = text.slice(i);
    const node = special(rest, names);
    if (node) {
      flush();
      out.append(node.element);
      i += node.length;
    } else if (rest[0] === "\\" && /^[^0-9A-Za-z\s]/.test(rest.slice(1))) {
      plain += rest[1];
      i += 2;
    } else if (rest[0] === "\n") {
      flush();
      out.append(document.createElement("br"));
      i++;
    } else {
      plain += rest[0];
      i++;
    }
  }
  flush();
  return out;
}

function special(rest, names) {
  let found;
  if ((found = rest.match(timestamp))) {
    const date = new Date(Number(found[1]) * 1000);
    return isNaN(date) ? null : { element: time(date, found[2]), length: found[0].length };
  }
  for (const [pattern, name] of mentions) {
    if (!(found = rest.match(pattern))) continue;
    const element = document.createElement("span");
    element.className = "mention";
    element.textContent = name(found[1], names);
    return { element, length: found[0].length };
  }
  for (const [mark, tag] of pairs) {
    if (!rest.startsWith(mark)) continue;
    const end = closing(rest, mark);
    if (end < 0) continue;
    const inner = rest.slice(mark.length, end);
    const element = document.createElement(tag);
    if (tag === "code" || tag === "pre") element.textContent = inner;
    else element.append(markdown(inner, names));
    return { element, length: end + mark.length };
  }
  return null;
}

// Finds where a mark is closed, past escaped characters; -1 where it is not.
function closing(text, mark) {
  for (let i = mark.length; i < text.length; i++) {
    if (text[i] === "\\" && mark[0] !== "`") i++;
    else if (text.startsWith(mark, i) && i > mark.length) return i;
  }
  return -1;
}
