// Televisions, speakers, cameras, doorbells.

import { circle, group, isOn, mark, path, percent, rect, show } from "./picture-parts.js";

export function television() {
  const screen = rect("p-screen", 23, 17, 74, 42, 2);
  const film = group("", path("p-film-far", "M23 59V46l18-14 16 12 14-10 26 16v9z"), circle("p-sun", 80, 28, 5));
  return {
    parts: [rect("p-black", 20, 14, 80, 48, 4), screen, film, path("p-line", "M46 74h28M60 62v12")],
    update(value) {
      mark(screen, "is-on", isOn(value));
      show(film, isOn(value));
    },
  };
}

export function speaker() {
  const sound = group("p-waves", path("p-wave", "M82 34a16 16 0 0 1 0 22"), path("p-wave", "M88 27a26 26 0 0 1 0 36"), path("p-wave", "M94 20a36 36 0 0 1 0 50"));
  const cross = path("p-cross", "M84 38l14 14m0-14L84 52");
  return {
    parts: [rect("p-leaf", 34, 12, 40, 68, 8), circle("p-black", 54, 54, 14), circle("p-hub", 54, 54, 5), circle("p-black", 54, 27, 7), sound, cross],
    update(value) {
      const isMuted = Boolean(value("11A")) || value("E0") === 1 || value("E0") === 2;
      show(sound, !isMuted);
      show(cross, Boolean(value("11A")));
      sound.style.opacity = 0.25 + (percent(value("119"), 60) / 100) * 0.75;
    },
  };
}

export function microphone() {
  const cross = path("p-cross", "M82 20l16 16m0-16L82 36");
  return {
    parts: [rect("p-leaf", 49, 10, 22, 40, 11), path("p-line", "M40 38v4a20 20 0 0 0 40 0v-4M60 62v14M46 76h28"), cross],
    update(value) { show(cross, Boolean(value("11A"))); },
  };
}

export function camera() {
  const light = circle("p-led", 82, 26, 3);
  return {
    parts: [path("p-metal", "M57 60h6v14h-6zM44 74h32v5H44z"), rect("p-leaf", 28, 16, 64, 46, 12), circle("p-black", 58, 39, 16), circle("p-lens", 58, 39, 8), circle("p-glint", 55, 36, 2.5), light],
    update(value) {
      const isWatching = (value("21B") ?? 1) !== 0 && !value("227");
      mark(light, "is-good", isWatching);
    },
  };
}

export function doorbell() {
  const rings = group("p-waves p-press", path("p-wave", "M38 34a24 24 0 0 0 0 24"), path("p-wave", "M82 34a24 24 0 0 1 0 24"));
  return {
    parts: [rect("p-leaf", 44, 8, 32, 72, 9), circle("p-black", 60, 24, 7), circle("p-lens", 60, 24, 3.5), circle("p-button", 60, 56, 10), rings],
    pressed: rings,
    update() {},
  };
}
