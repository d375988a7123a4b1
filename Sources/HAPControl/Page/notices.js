// What the page says by itself: short notices that go away, and the state of the connection, which stays.

import { h, say } from "./dom.js";

const polite = document.getElementById("notices");
const connection = document.getElementById("connection");

/** Told to everybody, and read out when there is time. */
export function notice(text, kind = "info") {
  const item = h("p", { class: `notice ${kind}` }, text);
  polite.append(item);
  while (polite.children.length > 4) polite.firstChild.remove();
  setTimeout(() => item.remove(), kind === "problem" ? 12000 : 6000);
}

/** Does what a button asks for, and tells why it didn't go. */
export async function tried(action, done) {
  try {
    const answer = await action();
    if (done) notice(done);
    return answer ?? true;
  } catch (error) {
    notice(error.message, "problem");
    return null;
  }
}

let wasLost = false;
let timer = null;

/** Follows the store's state. */
export function showConnection(state) {
  clearTimeout(timer);
  if (state === "lost") wasLost = true;
  if (state === "open" && wasLost) {
    wasLost = false;
    connection.className = "connection back";
    say(connection, "The connection is back; everything is up to date.");
    timer = setTimeout(() => {
      connection.className = "connection";
      say(connection, "");
    }, 8000);
  } else if (wasLost) {
    connection.className = "connection lost";
    say(connection, "The connection to hapsim is lost. Trying again…");
  }
}
