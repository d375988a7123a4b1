// An alarm system: a house under a shield.

import { group, mark, path, show, text, circle, rect } from "./picture-parts.js";
import { say } from "./dom.js";

const WORDS = ["home", "away", "night", "off", "alarm"];

export function security() {
  const shield = path("p-shield", "M60 8 32 18v22c0 18 12 30 28 36 16-6 28-18 28-36V18z");
  const house = group("p-shield-house", path("", "M60 24 44 38v20h32V38z"), rect("p-inside", 55, 46, 10, 12));
  const siren = group("p-siren", circle("p-alarm", 22, 20, 7), circle("p-alarm", 98, 20, 7));
  const word = text("p-small on-floor", 60, 86);
  return {
    parts: [shield, house, siren, word],
    update(value) {
      const state = value("66") ?? 3;
      mark(shield, "is-armed", state <= 2);
      mark(shield, "is-alarm", state === 4);
      show(siren, state === 4);
      say(word, WORDS[state] ?? "");
    },
  };
}
