// The server's events, read by hand: EventSource can't bring a token.

import { headers, parse } from "./api.js";

const LONGEST_PAUSE = 5000;
/** Something comes every 15 seconds; without it the connection is as good as gone. */
const SILENCE = 40000;
/** A server that closes each connection at once is not asked four times a second: only a connection of so many milliseconds resets the pause. */
const STEADY = 5000;
const SHORTEST_PAUSE = 250;
/** A page that nobody sees for so long lets its connection go: a browser has six for one server, and the next page needs one. */
const UNSEEN = 30000;

/**
 * Follows the events for as long as the page is open.
 *
 * - `begin()`, awaited before each connection, brings everything up to date and says behind which event to go on: `{ after, run }`, of which
 *   process if that is known.
 * - `onEvent(event)` is told each one; `onState("connecting" | "open" | "resting" | "lost", error)` how the connection is. It rests while nobody
 *   has seen the page for half a minute, and comes back with who looks at it.
 * A refusal for want of a token ends it; it is called anew when there is one.
 */
export async function follow({ begin, onEvent, onState }) {
  let pause = SHORTEST_PAUSE;
  for (;;) {
    const end = new AbortController();
    const unseen = whenUnseen(() => end.abort());
    let timer = null;
    let hasGap = false;
    let opened = Infinity;
    const hear = () => {
      clearTimeout(timer);
      timer = setTimeout(() => end.abort(), SILENCE);
    };
    try {
      onState("connecting");
      const { after, run } = await begin();
      hear();
      const response = await fetch(`/v1/events?after=${after}`, {
        headers: headers(run === undefined ? {} : { "Last-Event-ID": `${run}-${after}` }), cache: "no-store", signal: end.signal,
      });
      if (!response.ok) throw Object.assign(new Error(`the answer was ${response.status}`), { status: response.status });
      onState("open");
      opened = performance.now();
      for await (const event of eventsIn(response.body, hear)) {
        // Events were dropped, because this page reads slowly: everything is loaded again.
        if (event.name === "lost") {
          hasGap = true;
          break;
        }
        onEvent(event.data);
      }
      if (!hasGap) onState("lost");
    } catch (error) {
      if (error.status === 401) return onState("refused", error);
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

/** Does something, once, when nobody has seen the page for a while. */
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

/** Until somebody sees the page. */
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

/** Server-sent events (HTML Living Standard §9.2), of which lines `event` and `data` matter here. */
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
