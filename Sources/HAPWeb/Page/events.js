// Reads the server's events with fetch, because EventSource can't send a token.

import { headers, isReplaced, parse, usedToken } from "./web.js";

const LONGEST_PAUSE = 5000;
/** Timeout of a silent connection. The server sends a keep-alive every 15 seconds. */
const SILENCE = 40000;
/** A connection of at least this time resets the pause, so that a server that closes each connection at once isn't called four times per second. */
const STEADY = 5000;
const SHORTEST_PAUSE = 250;
/** A page hidden for this time closes its connection, because browsers limit connections per server to six, and other pages need one. */
const UNSEEN = 30000;

/**
 * Follows the events for as long as the page is open.
 *
 * - `path`: that of the events, below `/v1`.
 * - `begin()`, awaited before each connection, loads the current state and returns the event to continue after: `{ after, run }`. `run`
 *   identifies the process, if known.
 * - `onEvent(event)` is called for each event; `onState("connecting" | "open" | "resting" | "lost", error)` for each change of the
 *   connection. It rests while the page has been hidden for 30 seconds, and reconnects when the page is visible again.
 *
 * It ends if the token is missing or wrong. The caller restarts it with a token.
 */
export async function follow({ path = "/events", begin, onEvent, onState }) {
  let pause = SHORTEST_PAUSE;
  for (;;) {
    const end = new AbortController();
    const unseen = whenUnseen(() => end.abort());
    let timer = null;
    let hasGap = false;
    let opened = Infinity;
    const token = usedToken();
    const hear = () => {
      clearTimeout(timer);
      timer = setTimeout(() => end.abort(), SILENCE);
    };
    try {
      onState("connecting");
      const { after, run } = await begin();
      hear();
      const response = await fetch(`/v1${path}?after=${after}`, {
        headers: headers(run === undefined ? {} : { "Last-Event-ID": `${run}-${after}` }), cache: "no-store", signal: end.signal,
      });
      if (!response.ok) throw Object.assign(new Error(`the answer was ${response.status}`), { status: response.status });
      onState("open");
      opened = performance.now();
      for await (const event of eventsIn(response.body, hear)) {
        // Events were lost because this page reads slowly, so everything is loaded again.
        if (event.name === "lost") {
          hasGap = true;
          break;
        }
        onEvent(event.data);
      }
      if (!hasGap) onState("lost");
    } catch (error) {
      if (error.status === 401 && !(await isReplaced(token))) return onState("refused", error);
      if (!unseen.isLong) onState("lost", error);
    } finally {
      clearTimeout(timer);
      end.abort();
      unseen.stop();
    }
    if (performance.now() - opened >= STEADY) pause = SHORTEST_PAUSE;
    if (unseen.isLong) {
      onState("resting");
      await seen();
      pause = SHORTEST_PAUSE;
      continue;
    }
    await new Promise((resume) => setTimeout(resume, pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** Runs `job` once when the page has been hidden for `UNSEEN`. */
function whenUnseen(job) {
  let timer = null;
  const watch = {
    isLong: false,
    stop() {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    },
  };
  const look = () => {
    clearTimeout(timer);
    if (!document.hidden) return;
    timer = setTimeout(() => {
      watch.isLong = true;
      job();
    }, UNSEEN);
  };
  document.addEventListener("visibilitychange", look);
  look();
  return watch;
}

/** Waits until the page is visible. */
function seen() {
  return new Promise((resume) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", look);
      resume();
    };
    document.addEventListener("visibilitychange", look);
    look();
  });
}

/** Parses server-sent events (HTML Living Standard §9.2). Only the lines `event` and `data` matter here. */
async function* eventsIn(body, hear) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    hear();
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      let name = "message";
      let data = "";
      for (const line of part.split("\n")) {
        if (line.startsWith("event: ")) name = line.slice(7);
        else if (line.startsWith("data: ")) data += line.slice(6);
      }
      if (data) yield { name, data: parse(data) };
    }
  }
}
