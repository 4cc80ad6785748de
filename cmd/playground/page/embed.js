// Draws an embed of a message. Of pictures it shows the bot's own files, which come
// through the playground: nothing is loaded from the network.

import { make } from "./dom.js";
import { markdown } from "./markdown.js";
import { time } from "./time.js";

export function drawEmbed(embed, names) {
  const box = make("article", "embed");
  if (embed.color) box.style.setProperty("--color", "#" + embed.color.toString(16).padStart(6, "0"));
  if (embed.author) box.append(make("p", "embed-author", embed.author.name));
  if (embed.title) box.append(make("h3", "", markdown(embed.title, names)));
  if (embed.description) box.append(make("div", "description", markdown(embed.description, names)));
  if (embed.fields?.length) box.append(drawFields(embed.fields, names));
  if (embed.image) box.append(drawImage(embed.image));
  const foot = [embed.footer?.text, embed.timestamp && time(new Date(embed.timestamp))].filter(Boolean);
  if (foot.length) box.append(make("footer", "", ...foot.flatMap((part, i) => (i ? [" • ", part] : [part]))));
  return box;
}

function drawImage(image) {
  const picture = make("img", "");
  picture.src = new URL(image.url).pathname;
  picture.alt = image.description ?? "";
  return picture;
}

function drawFields(fields, names) {
  const list = make("dl", "");
  const spans = widths(fields);
  fields.forEach((field, i) => {
    const group = make("div", "", make("dt", "", markdown(field.name, names)), make("dd", "", markdown(field.value, names)));
    group.style.gridColumn = "span " + spans[i];
    list.append(group);
  });
  return list;
}

// How many of a row's twelve columns each field has: inline fields stand in rows
// of up to three, and share their row evenly.
export function widths(fields) {
  const spans = fields.map(() => 12);
  for (let i = 0; i < fields.length; ) {
    let end = i;
    while (end < i + 3 && fields[end]?.inline) end++;
    spans.fill(12 / Math.max(end - i, 1), i, Math.max(end, i + 1));
    i = Math.max(end, i + 1);
  }
  return spans;
}
