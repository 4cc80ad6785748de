// Small helpers for making elements. Text is never read as HTML.

export const $ = (id) => document.getElementById(id);

export function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

export function button(className, label, act) {
  const element = make("button", className, label);
  element.type = "button";
  if (act) element.addEventListener("click", act);
  return element;
}

// A picture that says nothing more to somebody who listens.
export function icon(text) {
  const span = make("span", "icon", text);
  span.ariaHidden = "true";
  return span;
}

const colors = ["#b8416b", "#2f7d4f", "#8a5a00", "#3f64c7", "#7d4fb3", "#a8442a", "#1f7a80"];

// Somebody's picture: the first letter on a colour of their own.
export function avatar(name) {
  const picture = icon(name === "hostbot" ? "🤖" : [...name][0]);
  picture.className = "avatar";
  const sum = [...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0);
  picture.style.setProperty("--color", name === "hostbot" ? "var(--accent)" : colors[sum % colors.length]);
  return picture;
}

// Makes a list hold these items, which have an id each in their data set. Items
// that stay are left alone; where another item has the id, replace(old, new)
// puts it in the old one's place.
export function arrange(list, items, replace) {
  const wanted = new Map(items.map((item) => [item.dataset.id, item]));
  for (const item of [...list.children]) {
    const next = wanted.get(item.dataset.id);
    if (!next) item.remove();
    else if (next !== item) replace(item, next);
  }
  items.forEach((item, i) => {
    if (list.children[i] !== item) list.insertBefore(item, list.children[i] ?? null);
  });
}

// Lets a task that was asked for while it ran run once more, and not more often.
export function coalesced(task) {
  let running = null;
  let again = false;
  const run = async () => {
    do {
      again = false;
      await task();
    } while (again);
  };
  return () => {
    again = true;
    running ??= run().finally(() => (running = null));
    return running;
  };
}
