// Sensors. The picture shows the detected event.

import { circle, group, mark, path, rect, show, text } from "./picture-parts.js";
import { say } from "./dom.js";

const person = () => group("p-person", circle("p-skin", 46, 32, 7), path("p-clothes", "M46 41c7 0 10 5 10 12v10h-4l-2 17h-8l-2-17h-4V53c0-7 3-12 10-12z"));
const eye = () => group("", rect("p-leaf", 84, 12, 20, 14, 5), circle("p-lens", 94, 19, 4));
const waves = () => group("p-waves", path("p-wave", "M80 27a14 14 0 0 0-6-9"), path("p-wave", "M74 32a22 22 0 0 0-9-15"), path("p-wave", "M68 38a30 30 0 0 0-13-21"));

export function motion() {
  const who = person();
  const seen = waves();
  return {
    parts: [who, eye(), seen],
    update(value) {
      const isSeen = Boolean(value("22"));
      mark(who, "is-absent", !isSeen);
      mark(who, "is-walking", isSeen);
      show(seen, isSeen);
    },
  };
}

export function occupancy() {
  const who = person();
  const chair = path("p-line", "M62 82V60h20v22M62 60V38");
  return {
    parts: [chair, who, eye()],
    update(value) { mark(who, "is-absent", !value("71")); },
  };
}

export function contact() {
  const leaf = group("p-swing p-door-leaf", rect("p-leaf", 42, 18, 36, 60, 1), circle("p-handle", 72, 50, 2.2), rect("p-sensor", 64, 20, 12, 5, 1));
  const light = circle("p-led", 92, 22, 3);
  return {
    parts: [rect("p-frame", 39, 15, 42, 63, 1.5), rect("p-inside", 42, 18, 36, 60), leaf, rect("p-sensor", 84, 20, 16, 5, 1), light],
    update(value) {
      const isOpen = value("6A") === 1;
      leaf.style.transform = `scaleX(${isOpen ? 0.55 : 1})`;
      mark(light, "is-bad", isOpen);
      mark(light, "is-good", !isOpen);
    },
  };
}

export function leak() {
  const puddle = path("p-water", "M28 80c0-6 14-8 32-8s34 2 34 8-14 7-34 7-32-1-32-7z");
  const drops = group("p-drops", path("p-water", "M60 40c3 5 6 8 6 12a6 6 0 0 1-12 0c0-4 3-7 6-12z"));
  return {
    parts: [path("p-pipe", "M20 16h34a6 6 0 0 1 6 6v8"), rect("p-metal", 54, 30, 12, 6, 1), puddle, drops],
    update(value) { for (const part of [puddle, drops]) show(part, Boolean(value("70"))); },
  };
}

/** Smoke and gas below a detector at the ceiling. */
function gas(type, letters) {
  const cloud = group("p-cloud", circle("p-smoke", 44, 66, 12), circle("p-smoke", 60, 60, 15), circle("p-smoke", 78, 66, 12), circle("p-smoke", 66, 46, 9), circle("p-smoke", 54, 42, 7));
  const light = circle("p-led", 60, 16, 3);
  return {
    parts: [path("p-leaf", "M36 0h48v8a12 12 0 0 1-12 12H48A12 12 0 0 1 36 8z"), light, cloud, text("p-small", 60, 34, letters)],
    update(value) {
      const isThere = Boolean(value(type));
      show(cloud, isThere);
      mark(light, "is-bad", isThere);
      mark(light, "is-good", !isThere);
    },
  };
}
export const smoke = () => gas("76", "");
export const monoxide = () => gas("69", "CO");
export const dioxide = () => gas("92", "CO₂");

export function brightness() {
  const rays = group("p-rays", ...[0, 45, 90, 135, 180, 225, 270, 315].map((angle) => {
    const ray = path("p-ray", "M60 12v-8");
    ray.setAttribute("transform", `rotate(${angle} 60 34)`);
    return ray;
  }));
  const sun = circle("p-sun", 60, 34, 15);
  const now = text("p-small", 60, 68);
  return {
    parts: [rays, sun, now],
    update(value) {
      const lux = value("6B");
      const level = lux === undefined ? 0.6 : Math.min(1, Math.max(0.12, Math.log10(Math.max(1, lux)) / 4.5));
      for (const part of [rays, sun]) part.style.opacity = level;
      say(now, lux === undefined ? "" : `${Math.round(lux)} lx`);
    },
  };
}

/** A flower that wilts as the air gets worse. */
export function airQuality() {
  const WORDS = ["unknown", "excellent", "good", "fair", "inferior", "poor"];
  const flower = group("p-flower", path("p-stem", "M60 72V44m0 16c-8 0-12-4-13-9 7 0 12 3 13 9zm0-6c8 0 12-4 13-9-7 0-12 3-13 9z"),
    ...[0, 72, 144, 216, 288].map((angle) => {
      const petal = circle("p-petal", 60, 25, 7);
      petal.setAttribute("transform", `rotate(${angle} 60 35)`);
      return petal;
    }), circle("p-sun", 60, 35, 6));
  const word = text("p-small", 60, 83);
  return {
    parts: [path("p-pot", "M48 72h24l-3 14H51z"), flower, word],
    update(value) {
      const level = value("95") ?? 1;
      flower.style.transform = `rotate(${Math.max(0, level - 1) * 14}deg)`;
      flower.style.filter = `saturate(${1 - Math.max(0, level - 1) * 0.22})`;
      say(word, WORDS[level] ?? "");
    },
  };
}
