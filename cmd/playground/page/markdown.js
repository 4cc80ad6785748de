// Discord's markdown, as far as the bot's messages use it, as DOM nodes. Text
// is never read as HTML.

const timestamp = /^<t:(-?\d+)(?::([tTdDfFR]))?>/;
const mention = /^<@!?(\d+)>/;
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

// Returns a fragment; names are the users' names by their IDs.
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
  if ((found = rest.match(timestamp))) return { element: time(Number(found[1]), found[2]), length: found[0].length };
  if ((found = rest.match(mention))) {
    const element = document.createElement("span");
    element.className = "mention";
    element.textContent = "@" + (names[found[1]] ?? found[1]);
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

function time(seconds, style = "f") {
  const element = document.createElement("time");
  const date = new Date(seconds * 1000);
  element.dateTime = date.toISOString();
  element.title = date.toLocaleString();
  if (style === "R") element.dataset.relative = seconds;
  else if (style === "D") element.textContent = date.toLocaleDateString(undefined, { dateStyle: "long" });
  else element.textContent = date.toLocaleString();
  if (style === "R") tick(element);
  return element;
}

const steps = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

function tick(element) {
  const seconds = Number(element.dataset.relative) - Math.floor(Date.now() / 1000);
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? steps.at(-1);
  const format = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
  element.textContent = format.format(Math.trunc(seconds / size), unit);
}

// Relative times go on by themselves, as they do on Discord.
setInterval(() => document.querySelectorAll("time[data-relative]").forEach(tick), 1000);
