// The parts of pictures. All are drawn on 120 × 90, with a wall above a floor.

import { svg } from "./dom.js";

export const shape = (name, kind, properties) => svg(name, { class: kind, ...properties });
export const rect = (kind, x, y, width, height, rx = 0) => shape("rect", kind, { x, y, width, height, rx });
export const circle = (kind, cx, cy, r) => shape("circle", kind, { cx, cy, r });
export const path = (kind, d) => shape("path", kind, { d });
export const group = (kind, ...children) => svg("g", { class: kind }, ...children);
export const text = (kind, x, y, words = "") => svg("text", { class: kind, x, y, "text-anchor": "middle" }, words);

export function room(...things) {
  return svg("svg", { class: "picture", viewBox: "0 0 120 90", "aria-hidden": "true", focusable: "false" },
    rect("p-wall", 0, 0, 120, 90, 10), path("p-floor", "M0 72h120v8a10 10 0 0 1-10 10H10A10 10 0 0 1 0 80z"), ...things);
}

export const move = (element, x, y) => { element.style.transform = `translate(${x}px, ${y}px)`; };
export const turn = (element, degrees) => { element.style.transform = `rotate(${degrees}deg)`; };
export const show = (element, isShown) => { element.style.display = isShown ? "" : "none"; };
export const mark = (element, name, isOn) => element.classList.toggle(name, Boolean(isOn));

/** Whether a service with On or Active is working. */
export const isOn = (value) => Boolean(value("25") ?? value("B0"));
export const percent = (value, otherwise = 100) => Math.min(100, Math.max(0, Number(value ?? otherwise)));
