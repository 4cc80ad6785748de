// Times as Discord writes them: in the language of the user's client, which is
// the language of the list of messages.

const language = () => document.getElementById("messages").lang || undefined;

const styles = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
};

// Returns a time element; style is one of Discord's letters.
export function time(date, style = "f") {
  const element = document.createElement("time");
  element.dateTime = date.toISOString();
  element.title = date.toLocaleString(language(), styles.F);
  if (style === "R") {
    element.dataset.relative = Math.floor(date.getTime() / 1000);
    element.ariaLive = "off"; // a screen reader is not to read each second
    tick(element);
  } else {
    element.textContent = date.toLocaleString(language(), styles[style]);
  }
  return element;
}

const steps = [["year", 31536000], ["month", 2592000], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

function tick(element) {
  const seconds = Number(element.dataset.relative) - Math.floor(Date.now() / 1000);
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? steps.at(-1);
  const format = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
  element.textContent = format.format(Math.trunc(seconds / size), unit);
}

// Relative times go on by themselves, as they do on Discord.
setInterval(() => document.querySelectorAll("time[data-relative]").forEach(tick), 1000);
