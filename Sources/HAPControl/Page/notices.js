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
/** What had the focus when the connection was lost: it gets the focus back. */
let focused = null;

/** While hapsim does not answer, a banner says so and no control can be used. */
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
    say(connection, `The connection to hapsim is lost. The page shows how it was at ${time} and tries to connect again.`);
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
