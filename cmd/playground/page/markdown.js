// Discord's markdown, as far as messages of bots use it, as DOM nodes. Text is
// never read as HTML.

import { button, make } from "./dom.js";
import { time } from "./time.js";

// What a line can begin with, and what it then is.
const blocks = [
  [/^(#{1,3}) +(.*)$/, (found, names) => make("p", "heading-" + found[1].length, inline(found[2], names))],
  [/^-# +(.*)$/, (found, names) => make("p", "subtext", inline(found[1], names))],
  [/^> (.*)$/, (found, names) => make("blockquote", "", inline(found[1], names))],
  [/^ *[-*] +(.*)$/, (found, names) => make("p", "item", inline(found[1], names))],
];

// Returns a fragment; names are those of users, channels and roles by their IDs.
export function markdown(text, names = {}) {
  const out = document.createDocumentFragment();
  // A block of code goes over lines, in which nothing else counts.
  text.split(/```(?:[a-z0-9+-]+\n)?([\s\S]*?)```/i).forEach((part, i) => {
    if (i % 2) out.append(make("pre", "", part.replace(/^\n|\n$/g, "")));
    else if (part) lines(part, names, out);
  });
  return out;
}

function lines(text, names, out) {
  let plain = [];
  const flush = () => {
    if (plain.length) out.append(inline(plain.join("\n"), names));
    plain = [];
  };
  for (const line of text.split("\n")) {
    const block = blocks.find(([pattern]) => pattern.test(line));
    if (!block) {
      plain.push(line);
      continue;
    }
    flush();
    out.append(block[1](line.match(block[0]), names));
  }
  flush();
}

const pairs = [["`", "code"], ["**", "strong"], ["__", "u"], ["~~", "s"], ["||", "span"], ["*", "em"], ["_", "em"]];

// What stands for something else, and how that is drawn; null where it is not so.
const specials = [
  [/^<t:(-?\d+)(?::([tTdDfFR]))?>/, (found) => timestamp(found)],
  [/^<@!?(\d+)>/, (found, names) => make("span", "mention", "@" + (names[found[1]] ?? found[1]))],
  [/^<@&(\d+)>/, (found, names) => make("span", "mention", "@" + (names[found[1]] ?? found[1]))],
  [/^<#(\d+)>/, (found, names) => make("span", "mention", "#" + (names[found[1]] ?? found[1]))],
  [/^<\/([^:>]+):\d+>/, (found) => commandMention(found[1])],
  [/^\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/, (found, names) => link(found[2], inline(found[1], names))],
  [/^https?:\/\/[^\s<>]+[^\s<>.,:;"')\]]/, (found) => link(found[0], found[0])],
];

function inline(text, names) {
  const out = document.createDocumentFragment();
  let plain = "";
  const flush = () => {
    if (plain) out.append(plain);
    plain = "";
  };
  for (let i = 0; i < text.length;) {
    const rest = text.slice(i);
    const node = special(rest, names) ?? marked(rest, names);
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
  for (const [pattern, draw] of specials) {
    const found = rest.match(pattern);
    const element = found && draw(found, names);
    if (element) return { element, length: found[0].length };
  }
  return null;
}

function marked(rest, names) {
  for (const [mark, tag] of pairs) {
    if (!rest.startsWith(mark)) continue;
    const end = closing(rest, mark);
    if (end < 0) continue;
    // Underscores within a word are plain, as in my_prod_bot.
    if (mark === "_" && /^\w/.test(rest.slice(end + 1))) continue;
    const inner = rest.slice(mark.length, end);
    const element = make(tag, "", tag === "code" ? inner : inline(inner, names));
    return { element, length: end + mark.length };
  }
  return null;
}

// Finds where a mark is closed, past escaped characters and past what is marked
// within; -1 where it is not.
function closing(text, mark) {
  for (let i = mark.length; i < text.length; i++) {
    if (text[i] === "\\" && mark !== "`") {
      i++;
      continue;
    }
    if (!text.startsWith(mark, i) || i === mark.length) continue;
    let run = i;
    while (text[run] === mark[0]) run++;
    const inner = mark.length === 1 && mark !== "`" && run - i === 2; // of ** within *
    if (!inner) return run - mark.length;
    i = run - 1;
  }
  return -1;
}

// A command that is mentioned is begun by pressing it.
function commandMention(name) {
  const mention = button("mention", "/" + name);
  mention.dataset.command = name;
  return mention;
}

function timestamp(found) {
  const date = new Date(Number(found[1]) * 1000);
  return isNaN(date) ? null : time(date, found[2]);
}

function link(url, content) {
  const anchor = make("a", "", content);
  anchor.href = url;
  anchor.target = "_blank";
  anchor.rel = "noreferrer";
  return anchor;
}
