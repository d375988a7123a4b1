// Switches, sockets, buttons and batteries.

import { circle, group, isOn, mark, path, percent, rect, show, text } from "./picture-parts.js";
import { say } from "./dom.js";

export function powerSwitch() {
  // The halves of the rocker only change their colours, so that changes of up to 149 switches need no new layout.
  const rocker = group("p-rocker", rect("p-rocker-half upper", 46, 22, 28, 23, 3), rect("p-rocker-half lower", 46, 45, 28, 23, 3), path("p-line", "M60 29v8"), circle("p-outline", 60, 57, 4));
  const light = circle("p-led", 60, 15.5, 2.4);
  return {
    parts: [rect("p-leaf", 38, 8, 44, 68, 7), rocker, light],
    update(value) {
      mark(rocker, "is-on", isOn(value));
      mark(light, "is-good", isOn(value));
    },
  };
}

export function outlet() {
  const plug = group("p-plug", rect("p-black", 50, 34, 20, 22, 6), path("p-cable", "M60 56c0 18 30 8 34 30"));
  const light = circle("p-led", 78, 18, 3);
  return {
    parts: [rect("p-leaf", 30, 8, 60, 62, 9), circle("p-socket", 60, 41, 21), circle("p-black", 53, 41, 2.6), circle("p-black", 67, 41, 2.6), plug, light],
    update(value) {
      mark(light, "is-good", isOn(value));
      show(plug, Boolean(value("26") ?? isOn(value)));
    },
  };
}

export function button() {
  const rings = group("p-waves p-press", circle("p-wave", 60, 42, 25), circle("p-wave", 60, 42, 31));
  return {
    parts: [rect("p-leaf", 28, 10, 64, 64, 14), circle("p-button", 60, 42, 19), rings],
    pressed: rings,
    update() {},
  };
}

export function battery() {
  const charge = rect("p-charge p-grow-right", 25, 29, 66, 32, 3);
  const bolt = path("p-bolt-mark", "M62 30 50 48h9l-3 13 13-19h-9z");
  const now = text("p-number", 58, 82);
  return {
    parts: [rect("p-glass", 21, 25, 74, 40, 7), rect("p-metal", 96, 37, 6, 16, 2), charge, bolt],
    update(value) {
      const level = percent(value("68"), 80);
      charge.style.transform = `scaleX(${level / 100})`;
      mark(charge, "is-bad", Boolean(value("79")));
      show(bolt, value("8F") === 1);
      say(now, "");
    },
  };
}
