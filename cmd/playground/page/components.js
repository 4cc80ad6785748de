// Draws what can be pressed in a message.

import { button, icon, make } from "./dom.js";
import { drawSelect } from "./select.js";

const kinds = { button: 2, select: 3, roles: 6 };
const linkStyle = 5;

export function drawRow(row, press) {
  const box = make("div", "row");
  for (const component of row.components) {
    if (component.type === kinds.button) box.append(drawButton(component, press));
    if (component.type === kinds.select || component.type === kinds.roles) box.append(drawSelect(component, (values) => press(component.custom_id, values)));
  }
  return box;
}

function drawButton(component, press) {
  if (component.style === linkStyle) return drawLink(component);
  const control = button("style-" + component.style, "", () => {
    control.classList.add("pressed");
    press(component.custom_id);
  });
  control.append(...face(component));
  if (!component.label) control.ariaLabel = component.emoji.name;
  control.disabled = component.disabled ?? false;
  control.dataset.control = component.custom_id;
  return control;
}

function drawLink(component) {
  const link = make("a", "style-2 link-button", ...face(component), icon(" ↗"));
  link.href = component.url;
  link.target = "_blank";
  link.rel = "noreferrer";
  return link;
}

function face(component) {
  return [component.emoji && icon(component.emoji.name), component.label && make("span", "", component.label)].filter(Boolean);
}
