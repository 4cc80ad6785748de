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

export const world = () => call("api/world");
export const commands = (user) => call("api/commands" + query({ user }));
export const messages = (user, channel) => call("api/messages" + query({ user, channel }));
export const setLocale = (user, locale) => call("api/locale", { user, locale });
export const sendCommand = (user, channel, name, options) => call("api/command", { user, channel, name, options });
export const complete = (user, channel, name, option, options) =>
  call("api/complete", { user, channel, name, option, options });
export const press = (user, channel, message, customID, values) =>
  call("api/press", { user, channel, message, customID, values });
export const submit = (user, modal, fields) => call("api/modal", { user, modal, fields });
export const dismiss = (user, channel, message) => call("api/dismiss", { user, channel, message });

// Calls back whenever something that can be seen may have changed, and when
// the server is lost and found. The browser connects again by itself.
export function watch({ changed, lost, found }) {
  const events = new EventSource("api/events");
  events.onmessage = changed;
  events.onerror = lost;
  events.onopen = found;
}
