// Messages of the page: short notices that disappear, and the state of the connection, which remains.

import { h, say } from "./dom.js";
import { server } from "./web.js";

const polite = document.getElementById("notices");
const connection = document.getElementById("connection");

/** Shows a notice. Screen readers read it after the current sentence. */
export function notice(text, kind = "info") {
  const item = h("p", { class: `notice ${kind}` }, text);
  polite.append(item);
  while (polite.children.length > 4) polite.firstChild.remove();
  setTimeout(() => item.remove(), kind === "problem" ? 12000 : 6000);
}

/** Runs the action of a button, and shows its error. */
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
/** The element that had the focus when the connection was lost, and gets it back. */
let focused = null;

/** While the server does not answer, a banner is shown and the controls are disabled. */
export function showConnection({ state, isLost }) {
  if (isLost !== wasLost) {
    if (isLost) focused = document.activeElement;
    document.documentElement.classList.toggle("is-lost", isLost);
    for (const part of document.querySelectorAll("[data-live]")) part.inert = isLost;
    if (!isLost && document.activeElement === document.body) focused?.focus();
  }
  if (isLost && !wasLost) {
    clearTimeout(timer);
    connection.className = "connection lost";
    const time = new Date().toLocaleTimeString(undefined, { hourCycle: "h23" });
    say(connection, `The connection to ${server} is lost. The page shows the state at ${time} and tries to reconnect.`);
  }
  if (state === "open" && wasLost) {
    clearTimeout(timer);
    connection.className = "connection back";
    say(connection, "The connection is back; everything is up to date.");
    timer = setTimeout(() => {
      connection.className = "connection";
      say(connection, "");
    }, 8000);
  }
  wasLost = isLost;
}
