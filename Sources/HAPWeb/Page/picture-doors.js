// Garage doors, doors, windows, blinds and slats.

import { group, mark, move, path, percent, rect, show, circle, text } from "./picture-parts.js";
import { svg } from "./dom.js";
import { realSeconds } from "./pace.js";

let lastClip = 0;
/** Clips children to a rectangle. */
function through(x, y, width, height, ...children) {
  lastClip += 1;
  const id = `clip-${lastClip}`;
  return group("", svg("clipPath", { id }, rect("", x, y, width, height)), svg("g", { "clip-path": `url(#${id})` }, ...children));
}

const [OPEN, CLOSED, OPENING, CLOSING, STOPPED] = [0, 1, 2, 3, 4];

/** Default time from closed to open, in simulated seconds. */
const TRAVEL = 10;
const HEIGHT = 42;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * The position of a door that moves evenly from one end (0) to the other (1). HAP reports that it moves, but not its position.
 * `goTo(end)` returns the seconds until it arrives.
 */
function travel() {
  let [from, to, since, seconds] = [0.5, 0.5, 0, 0];
  const here = () => {
    if (seconds === Infinity) return (from + to) / 2;
    return seconds > 0 ? from + (to - from) * Math.min(1, (performance.now() - since) / 1000 / seconds) : to;
  };
  return {
    here,
    goTo(end) {
      [from, to, since] = [here(), end, performance.now()];
      seconds = realSeconds(TRAVEL * Math.abs(to - from));
      return seconds;
    },
    stayAt(position) { [to, seconds] = [position, 0]; },
  };
}

/** The door moves while it opens and closes, and stays where it is when stopped. With reduced motion, it is shown half open instead. */
export function garage() {
  const lines = [0, 1, 2, 3].map((n) => path("p-line thin", `M30 ${38 + n * 11}h60`));
  const leaf = group("p-garage-door", rect("p-leaf", 28, 36, 64, 46), ...lines, rect("p-handle", 55, 74, 10, 2.5, 1));
  const car = group("p-car", path("p-body", "M40 70c0-4 3-5 5-5l4-8c1-2 2-3 4-3h14c2 0 3 1 4 3l4 8c2 0 5 1 5 5v8H40z"), circle("p-wheel", 48, 78, 4), circle("p-wheel", 72, 78, 4));
  const up = path("p-arrow", "M60 20v-9m-4 4 4-4 4 4");
  const down = path("p-arrow", "M60 11v9m-4-4 4 4 4-4");
  const box = group("p-obstacle", rect("p-box", 50, 70, 20, 12, 1.5), path("p-line", "M50 76h20M60 70v12"), circle("p-warn", 86, 26, 7), text("p-warn-text", 86, 29.5, "!"));
  const door = travel();
  let before = null;
  return {
    parts: [
      path("p-roof", "M60 4 10 30v4h100v-4z"), rect("p-house", 16, 33, 88, 49), rect("p-inside", 28, 36, 64, 46),
      through(28, 36, 64, 46, car, leaf), box, up, down,
    ],
    update(value) {
      const state = value("E") ?? CLOSED;
      show(up, state === OPENING);
      show(down, state === CLOSING);
      show(box, Boolean(value("24")));
      if (state === before) return;
      const end = state === OPEN || state === OPENING ? 1 : 0;
      let place = end;
      let transition = "transform 0.5s ease-out";
      if (state === STOPPED) {
        place = door.here();
        door.stayAt(place);
      } else if (state === OPENING || state === CLOSING) {
        const seconds = before === null ? Infinity : door.goTo(end);
        if (calm.matches || !Number.isFinite(seconds)) place = 0.5;
        else transition = `transform ${seconds}s linear`;
      } else {
        door.stayAt(end);
      }
      leaf.style.transition = before === null || state === STOPPED ? "none" : transition;
      move(leaf, 0, -HEIGHT * place);
      before = state;
    },
  };
}

const position = (value) => percent(value("6D"), 0);

export function door() {
  const leaf = group("p-swing p-door-leaf", rect("p-leaf", 42, 18, 36, 60, 1), circle("p-handle", 72, 50, 2.2));
  const box = circle("p-warn", 98, 22, 7);
  const bang = text("p-warn-text", 98, 25.5, "!");
  return {
    parts: [rect("p-frame", 39, 15, 42, 63, 1.5), rect("p-inside", 42, 18, 36, 60), leaf, box, bang],
    update(value) {
      leaf.style.transform = `scaleX(${1 - position(value) * 0.0078})`;
      for (const part of [box, bang]) show(part, Boolean(value("24")));
    },
  };
}

export function windowPicture() {
  const sash = group("p-slide", rect("p-sash", 36, 40, 48, 25, 1), path("p-line thin", "M60 40v25"));
  return {
    parts: [rect("p-frame", 32, 12, 56, 57, 2), rect("p-sky", 36, 16, 48, 49), circle("p-sun", 72, 27, 5), path("p-line", "M36 40h48"), sash],
    update(value) { move(sash, 0, -position(value) * 0.235); },
  };
}

export function blind() {
  const slats = Array.from({ length: 9 }, (_, n) => rect("p-slat", 35, 15 + n * 6, 50, 4.6, 1));
  const sheet = group("p-slide", ...slats, rect("p-rail", 34, 67, 52, 3, 1));
  return {
    parts: [rect("p-frame", 32, 12, 56, 57, 2), rect("p-sky", 36, 16, 48, 49), circle("p-sun", 72, 30, 6), path("p-hill", "M36 65V56c14-9 32-3 48-9v18z"), through(32, 12, 56, 58, sheet), rect("p-rail", 30, 9, 60, 5, 2)],
    update(value) {
      move(sheet, 0, -position(value) * 0.54);
      const tilt = Math.abs(value("6C") ?? value("6E") ?? value("C1") ?? 90) / 90;
      for (const slat of slats) slat.style.transform = `scaleY(${0.35 + 0.65 * Math.min(1, tilt)})`;
    },
  };
}

export function slats() {
  const all = Array.from({ length: 5 }, (_, n) => rect("p-slat p-turn-self", 30, 18 + n * 11, 60, 5, 2));
  return {
    parts: [rect("p-frame", 26, 12, 68, 60, 3), rect("p-inside", 29, 15, 62, 54, 1), ...all],
    update(value) {
      for (const slat of all) {
        slat.style.transform = `scaleY(${0.4 + (Math.abs(value("C1") ?? 0) / 90) * 1.4})`;
        mark(slat, "is-bad", value("AA") === 1);
      }
    },
  };
}
