// Thermostats, and sensors for temperature and humidity.

import { circle, group, mark, path, rect, text, turn } from "./picture-parts.js";
import { say } from "./dom.js";

const degrees = (number) => (number === undefined || number === null ? "–" : `${Math.round(number * 10) / 10}°`);
/** Maps 10 to 35 °C to a dial of 270°. */
const angle = (number) => -135 + (Math.min(35, Math.max(10, number ?? 20)) - 10) * (270 / 25);

/** A round thermostat: the number is the temperature, the hand the target, the ring the current mode. */
export function thermostat() {
  const ring = circle("p-dial", 60, 45, 33);
  const hand = group("p-turn p-hand", path("p-pointer", "M60 15l-3.4-5.6h6.8z"));
  const now = text("p-number", 60, 50);
  const target = text("p-small", 60, 63);
  return {
    parts: [ring, circle("p-dial-face", 60, 45, 28), hand, now, target],
    update(value) {
      const doing = value("F") ?? { 2: 1, 3: 2 }[value("B1")] ?? 0;
      mark(ring, "is-heating", doing === 1);
      mark(ring, "is-cooling", doing === 2);
      say(now, degrees(value("11")));
      const cooling = value("33") === 2 || value("B2") === 2;
      const wanted = value("35") ?? (cooling ? value("D") : value("12") ?? value("D"));
      turn(hand, angle(wanted));
      say(target, wanted === undefined ? "" : `→ ${degrees(wanted)}`);
    },
  };
}

export function thermometer() {
  const column = rect("p-mercury p-grow", 57, 18, 6, 40);
  const now = text("p-number side", 90, 48);
  return {
    parts: [rect("p-glass", 53, 10, 14, 54, 7), circle("p-glass", 60, 66, 11), circle("p-mercury", 60, 66, 8), column, now],
    update(value) {
      const number = value("11");
      column.style.transform = `scaleY(${Math.min(1, Math.max(0.05, ((number ?? 20) + 10) / 50))})`;
      say(now, degrees(number));
    },
  };
}

export function humidity() {
  const level = rect("p-water p-grow drop", 40, 14, 40, 56);
  const now = text("p-number", 60, 58);
  const drop = path("p-glass", "M60 12c10 14 18 23 18 34a18 18 0 0 1-36 0c0-11 8-20 18-34z");
  return {
    parts: [drop, group("p-drop-level", level), path("p-outline", "M60 12c10 14 18 23 18 34a18 18 0 0 1-36 0c0-11 8-20 18-34z"), now],
    update(value) {
      const number = value("10");
      level.style.transform = `scaleY(${Math.min(1, Math.max(0, (number ?? 50) / 100))})`;
      say(now, number === undefined ? "–" : `${Math.round(number)}%`);
    },
  };
}
