// Values in words.

import { rounded } from "./numbers.js";

const UNITS = { percentage: " %", celsius: " °C", arcdegrees: "°", lux: " lx", seconds: " s" };
/** Types whose true is "on". */
const SWITCHES = new Set(["25", "11A", "11B", "1", "5", "6F"]);

export const unitOf = (characteristic) => UNITS[characteristic.unit] ?? "";

export function plain(word) {
  const text = word.replaceAll("-", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a category such as "garage-door-opener" in words. */
export const category = (slug) => plain(slug).replace("Ip camera", "IP camera").replace("tv", "TV");

/** Returns a value in words: "Closed", "21.5 °C", "On". Long texts are cut. */
export function valueInWords(cell, value = cell.value) {
  if (value === null || value === undefined) return "—";
  const word = cell.wordOf?.(value);
  if (word) return plain(word);
  if (cell.format === "bool" || typeof value === "boolean") {
    const isOn = value === true || value === 1;
    return SWITCHES.has(cell.type) ? (isOn ? "On" : "Off") : isOn ? "Yes" : "No";
  }
  if (typeof value === "number") return `${rounded(value)}${unitOf(cell)}`;
  const text = String(value);
  if (cell.format === "tlv8" || cell.format === "data") return text === "" ? "no bytes" : `${Math.floor((text.replace(/=+$/, "").length * 3) / 4)} bytes`;
  return text.length > 80 ? `${text.slice(0, 79)}…` : text || "—";
}

export const duration = (seconds) => {
  const whole = Math.floor(seconds);
  const days = Math.floor(whole / 86400);
  const two = (number) => String(number).padStart(2, "0");
  const time = `${two(Math.floor(whole / 3600) % 24)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return days > 0 ? `day ${days + 1}, ${time}` : time;
};

export const count = (number, what, many = `${what}s`) => `${number} ${number === 1 ? what : many}`;
