// What the page asks of the playground's server. Every call ends in the
// server's JSON or throws an Error with a sentence for the person.

async function call(path, body) {
  const request = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  let response, answer;
  try {
    response = await fetch(path, request);
    answer = await response.json();
  } catch {
    throw new Error("The playground does not answer.");
  }
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

const query = (values) => "?" + new URLSearchParams(values);

export const world = (user) => call("api/world" + query({ user }));
export const setLocale = (user, locale) => call("api/locale", { user, locale });

// As a user of Discord, in a channel.
export const commands = (user, channel) => call("api/commands" + query({ user, channel }));
export const messages = (user, channel) => call("api/messages" + query({ user, channel }));
export const sendCommand = (user, channel, name, options) => call("api/command", { user, channel, name, options });
export const useMenu = (user, channel, name, target) => call("api/menu", { user, channel, name, target });
export const complete = (user, channel, name, option, options) =>
  call("api/complete", { user, channel, name, option, options });
export const press = (user, channel, message, customID, values) =>
  call("api/press", { user, channel, message, customID, values });
export const submit = (user, channel, modal, fields) => call("api/modal", { user, channel, modal, fields });
export const dismiss = (user, channel, message) => call("api/dismiss", { user, channel, message });

// Underneath, and what is broken.
export const activity = () => call("api/activity");
export const step = (step) => call("api/step" + query({ step }));
export const breaking = (user) => call("api/breaking" + query({ user }));
export const breakPart = (part, mode) => call("api/break", { part, mode });
export const repair = () => call("api/repair", {});
export const become = (user, bot, mode) => call("api/become", { user, bot, mode });

// Calls back whenever something that can be seen may have changed, and when
// the server is lost and found. The browser connects again by itself.
export function watch({ changed, lost, found }) {
  const events = new EventSource("api/events");
  events.onmessage = changed;
  events.onerror = lost;
  events.onopen = found;
}
