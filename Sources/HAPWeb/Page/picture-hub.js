// Bridges, routers, and devices without a specific picture.

import { circle, mark, path, rect } from "./picture-parts.js";

const still = (...parts) => ({ parts, update() {} });

/** A floor plan of four rooms around the bridge, with a light in each. */
export function bridge() {
  return still(
    rect("p-plan", 12, 8, 96, 74, 3), path("p-plan-wall", "M52 8v22M52 42v16M52 70v12M12 44h22M46 44h6M52 50h26M90 50h18"),
    circle("p-room-light", 31, 26, 5), circle("p-room-light", 31, 63, 5), circle("p-room-light", 86, 27, 5), circle("p-room-light", 90, 67, 5),
    path("p-link", "M66 40 36 27M66 42 36 61M70 36l12-7M70 44l16 20"), rect("p-hub-box", 60, 33, 15, 13, 3), circle("p-led is-good", 67.5, 39.5, 2),
  );
}

/** The same plan with a light for each of `count` devices. `light(index, isOn)` switches one. */
export function plan(count) {
  const columns = Math.max(2, Math.ceil(Math.sqrt(count * 1.35)));
  const rows = Math.max(2, Math.ceil(count / columns));
  const [width, height] = [88 / columns, 66 / rows];
  const lights = Array.from({ length: count }, (_, index) =>
    circle("p-room-light", 16 + width * ((index % columns) + 0.5), 12 + height * (Math.floor(index / columns) + 0.5), Math.min(6, width * 0.34, height * 0.34)));
  const walls = count <= 40 ? [path("p-plan-wall", "M60 8v14M60 34v22M60 68v14M12 45h14M40 45h40M94 45h14")] : [];
  return {
    parts: [rect("p-plan", 12, 8, 96, 74, 3), ...walls, ...lights],
    light: (index, isOn) => mark(lights[index], "is-on", isOn),
  };
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
