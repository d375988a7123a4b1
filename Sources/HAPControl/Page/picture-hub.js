// Bridges, routers, and what there is no picture of its own for.

import { circle, path, rect } from "./picture-parts.js";

const still = (...parts) => ({ parts, update() {} });

/** A floor plan of four rooms around the bridge, a light in each. */
export function bridge() {
  return still(
    rect("p-plan", 12, 8, 96, 74, 3), path("p-plan-wall", "M52 8v22M52 42v16M52 70v12M12 44h22M46 44h6M52 50h26M90 50h18"),
    circle("p-room-light", 31, 26, 5), circle("p-room-light", 31, 63, 5), circle("p-room-light", 86, 27, 5), circle("p-room-light", 90, 67, 5),
    path("p-link", "M66 40 36 27M66 42 36 61M70 36l12-7M70 44l16 20"), rect("p-hub-box", 60, 33, 15, 13, 3), circle("p-led is-good", 67.5, 39.5, 2),
  );
}

export function router() {
  return still(
    path("p-line", "M36 52V20M84 52V20"), rect("p-leaf", 24, 50, 72, 22, 6), circle("p-led is-good", 36, 61, 2.5), circle("p-led is-good", 46, 61, 2.5),
    path("p-wave", "M50 36a14 14 0 0 1 20 0"), path("p-wave", "M44 29a23 23 0 0 1 32 0"),
  );
}

export function thing() {
  return still(
    path("p-leaf", "M60 14 92 30v34L60 80 28 64V30z"), path("p-line", "M28 30l32 16 32-16M60 46v34"), path("p-line thin", "M44 22l32 16"),
  );
}
