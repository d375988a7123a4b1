// Taps, valves and sprinklers.

import { circle, group, mark, path, rect, show, text } from "./picture-parts.js";
import { say } from "./dom.js";

/** Water runs while the valve is in use; Active alone means that it is about to. */
const runs = (value) => Boolean(value("D2") ?? value("B0"));

function remaining(value, line) {
  const seconds = value("D4");
  say(line, seconds > 0 && runs(value) ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` : "");
}

export function tap() {
  const water = group("p-flow", rect("p-water", 77, 40, 8, 34, 3), path("p-splash", "M70 76c3-4 7-4 11 0 4-4 8-4 11 0"));
  const wheel = group("p-turn-self", rect("p-handle", 48, 10, 24, 5, 2.5));
  const time = text("p-small", 32, 64);
  return {
    parts: [rect("p-metal", 57, 14, 6, 14), wheel, path("p-tap", "M20 26h46c12 0 20 6 20 16H76c0-5-4-6-10-6H20z"), rect("p-metal", 14, 22, 8, 18, 2), water, time],
    update(value) {
      show(water, runs(value));
      wheel.style.transform = runs(value) ? "scaleX(0.4)" : "";
      remaining(value, time);
    },
  };
}

export function sprinkler() {
  const water = group("p-spray", path("p-jet", "M60 56C52 36 40 34 28 46"), path("p-jet", "M60 56C56 30 48 22 36 26"), path("p-jet", "M60 56V20"), path("p-jet", "M60 56c4-26 12-34 24-30"), path("p-jet", "M60 56c8-20 20-22 32-10"));
  const time = text("p-small", 60, 16);
  return {
    parts: [path("p-grass", "M0 72l5-7 4 7 6-9 5 9 5-6 5 6 6-9 5 9 5-7 5 7 6-9 5 9 5-6 5 6 6-9 5 9 5-7 5 7 6-9 5 9 5-6 5 6v10H0z"), water, rect("p-metal", 56, 54, 8, 20, 2), circle("p-hub", 60, 54, 4), time],
    update(value) {
      show(water, runs(value));
      mark(water, "is-running", runs(value));
      remaining(value, time);
    },
  };
}
