// A lock with a turning key and a sliding bolt.

import { circle, group, mark, move, path, rect, text, show, turn } from "./picture-parts.js";

export function lock() {
  const bolt = rect("p-bolt p-slide", 70, 39, 22, 10, 2);
  const key = group("p-key p-turn", circle("p-ring", 46, 44, 8), rect("p-metal", 44.6, 32, 2.8, 24, 1.2));
  const warn = group("", circle("p-warn", 100, 20, 7), text("p-warn-text", 100, 23.5, "!"));
  const plate = rect("p-leaf", 18, 8, 64, 74, 3);
  return {
    parts: [rect("p-frame", 88, 0, 22, 90), rect("p-inside", 88, 36, 14, 16, 2), bolt, plate, circle("p-plate", 46, 44, 15), key, path("p-line", "M46 66h0"), warn],
    update(value) {
      const state = value("1D") ?? value("1E") ?? 0;
      const isSecured = state === 1;
      turn(key, isSecured ? 90 : 0);
      move(bolt, isSecured ? 8 : -6, 0);
      mark(bolt, "is-good", isSecured);
      mark(bolt, "is-bad", state === 2);
      mark(key, "is-jammed", state === 2);
      show(warn, state === 2 || state === 3);
    },
  };
}
