// Fans, air purifiers and humidifiers.

import { circle, group, isOn, mark, path, percent, rect, show } from "./picture-parts.js";

const BLADE = "M60 42c-3-9-2-19 5-25 6 4 8 12 3 20-2 3-5 4-8 5z";

function rotor() {
  const blades = [0, 120, 240].map((angle) => {
    const blade = path("p-blade", BLADE);
    blade.setAttribute("transform", `rotate(${angle} 60 42)`);
    return blade;
  });
  return group("p-rotor", ...blades);
}

/** Rotates with the set speed and direction. */
function run(wheel, isRunning, speed, isReversed) {
  mark(wheel, "is-running", isRunning && speed > 0);
  wheel.style.animationDuration = `${(4 - speed * 0.034).toFixed(2)}s`;
  wheel.style.animationDirection = isReversed ? "reverse" : "";
}

export function fan() {
  const wheel = rotor();
  return {
    parts: [rect("p-metal", 57, 60, 6, 20), rect("p-metal", 44, 78, 32, 4, 2), circle("p-plate", 60, 42, 30), wheel, circle("p-hub", 60, 42, 4)],
    update(value) {
      const state = value("AF");
      run(wheel, isOn(value) && (state === undefined || state === 2), percent(value("29"), 50), value("28") === 1);
    },
  };
}

export function purifier() {
  const wheel = rotor();
  const air = group("p-air", path("p-breath", "M40 12c4-4 8 4 12 0"), path("p-breath", "M56 8c4-4 8 4 12 0"), path("p-breath", "M72 12c4-4 8 4 12 0"));
  return {
    parts: [rect("p-leaf", 34, 16, 52, 66, 7), circle("p-plate", 60, 42, 22), group("p-shrunk", wheel), circle("p-hub", 60, 42, 3), rect("p-handle", 50, 72, 20, 3, 1.5), air],
    update(value) {
      const isWorking = isOn(value) && (value("A9") === undefined || value("A9") === 2);
      run(wheel, isWorking, percent(value("29"), 60), false);
      show(air, isWorking);
    },
  };
}

export function humidifier() {
  const steam = group("p-air", path("p-breath", "M48 26c-4-5 4-8 0-14"), path("p-breath", "M60 24c-4-5 4-8 0-14"), path("p-breath", "M72 26c-4-5 4-8 0-14"));
  const water = rect("p-water p-grow low", 38, 52, 44, 24, 3);
  return {
    parts: [rect("p-leaf", 34, 32, 52, 48, 8), rect("p-glass", 38, 52, 44, 24, 3), water, steam],
    update(value) {
      const state = value("B3");
      show(steam, isOn(value) && (state === undefined || state >= 2));
      water.style.transform = `scaleY(${percent(value("B5"), 60) / 100})`;
    },
  };
}
