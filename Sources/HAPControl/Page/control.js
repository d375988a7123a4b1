// The control that fits a characteristic, labelled, with its value both ways.

import { h, identifier, options, say } from "./dom.js";
import { set } from "./setting.js";
import { plain, unitOf, valueInWords } from "./words.js";
import { colourControl, trackOf } from "./colour-control.js";

const FLOATS = new Set(["float"]);
const BYTES = new Set(["tlv8", "data"]);
const PRESS = "73";
const IDENTIFY = "14";
/** More steps than these are no slider's. */
const MOST_STEPS = 2000;

/**
 * A row: what it is, its control, and what was refused.
 * `context` has the accessory's `number`, the `scope`, the `service`, and `isReported(cell)`: shown as text alone.
 */
export function characteristicRow(cell, context) {
  const name = nameOf(cell);
  const problem = h("p", { class: "refused", role: "alert" });
  const id = identifier("control");
  const put = (text, isFinal = true) =>
    set(context.number, cell, text, {
      onRefused: (error) => say(problem, error && isFinal ? error.message : ""),
      onSettled: () => control.update(),
    });
  const control = kindOf(cell, context)({ cell, id, name, put, context });
  const label = control.isLabelled ? h("span", { class: "name", id: `${id}-label` }, name) : h("label", { class: "name", for: id }, name);
  control.update();
  context.scope.watch([cell], control.update);
  return h("div", { class: `characteristic ${control.width ?? ""}`, data: { address: cell.id, type: cell.type } },
    h("div", { class: "what" }, label, h("small", { class: "address", title: permsInWords(cell) }, `${cell.id} · ${cell.perms.join(" ")}`)),
    h("div", { class: "how" }, control.node), problem);
}

export const nameOf = (cell) => (cell.description && !cell.name.includes(cell.description) ? `${cell.name} (${cell.description})` : cell.name);

const PERMS = {
  pr: "can be read", pw: "can be written", ev: "tells events", aa: "additional authorization", tw: "timed writes alone", hd: "hidden", wr: "answers writes",
};
const permsInWords = (cell) => `${cell.type}, ${cell.format}: ${cell.perms.map((perm) => PERMS[perm] ?? perm).join(", ")}`;

function kindOf(cell, context) {
  if (cell.type === PRESS) return pressText;
  if (context.isReported?.(cell)) return plainText;
  if (cell.type === IDENTIFY || (!cell.perms.includes("pr") && cell.format === "bool")) return trigger;
  if (cell.words) return Object.keys(cell.words).length <= 4 ? segments : choice;
  if (cell.format === "bool") return toggle;
  if (cell["valid-values"]) return choice;
  if (BYTES.has(cell.format)) return bytes;
  if (cell.format === "string") return cell.perms.includes("pw") ? string : plainText;
  return isSlider(cell) ? slider : number;
}

const stepOf = (cell) => cell.minStep ?? (FLOATS.has(cell.format) ? null : 1);

function isSlider(cell) {
  if (cell.minValue === undefined || cell.maxValue === undefined) return false;
  const span = cell.maxValue - cell.minValue;
  const step = stepOf(cell);
  return span > 0 && (step === null || span / step <= MOST_STEPS);
}

function toggle({ cell, id, name, put }) {
  const node = h("button", {
    type: "button", role: "switch", class: "switch", id, "aria-label": name, on: { click: () => put(String(!isTrue(cell.value))) },
  });
  const word = h("span", { class: "word", "aria-hidden": "true" });
  return {
    node: [word, node], isLabelled: true,
    update() {
      node.setAttribute("aria-checked", String(isTrue(cell.value)));
      say(word, valueInWords(cell));
    },
  };
}
const isTrue = (value) => value === true || value === 1;

/** Few words stand side by side. */
function segments({ cell, id, name, put }) {
  const inputs = Object.entries(cell.words).map(([word, value]) => {
    const input = h("input", { type: "radio", name: id, id: `${id}-${value}`, value: String(value), on: { change: () => put(jsonOf(cell, value)) } });
    return { input, value, node: h("span", { class: "segment" }, input, h("label", { for: input.id }, plain(word))) };
  });
  return {
    node: h("div", { class: "segments", role: "radiogroup", "aria-label": name }, inputs.map((one) => one.node)), isLabelled: true, width: "broad",
    update() { for (const { input, value } of inputs) input.checked = Number(cell.value) === value && cell.value !== null; },
  };
}

/** Many words, or the values that are valid. */
function choice({ cell, id, name, put }) {
  const entries = cell.words ? Object.entries(cell.words).map(([word, value]) => [value, plain(word)]) : cell["valid-values"].map((value) => [value, `${value}${unitOf(cell)}`]);
  const node = h("select", { id, on: { change: () => put(jsonOf(cell, Number(node.value))) } }, options(entries));
  return {
    node,
    update() {
      const text = String(Number(cell.value));
      const isKnown = cell.value !== null && [...node.options].some((option) => option.value === text && !option.dataset.other);
      node.querySelector("[data-other]")?.remove();
      if (!isKnown) node.prepend(h("option", { value: "other", data: { other: "yes" }, disabled: true }, valueInWords(cell)));
      node.value = isKnown ? text : "other";
    },
  };
}
const jsonOf = (cell, value) => (cell.format === "bool" ? String(Boolean(value)) : String(value));

/** A slider, and the number beside it, which can be typed as well. */
function slider(parts) {
  const { cell, id, name, put } = parts;
  const step = stepOf(cell) ?? "any";
  let isHeld = false;
  const range = h("input", { type: "range", id, min: cell.minValue, max: cell.maxValue, step: step === "any" ? (cell.maxValue - cell.minValue) / 1000 : step });
  const typed = number({ ...parts, id: `${id}-number`, name: `${name}, as a number` });
  range.addEventListener("input", () => {
    isHeld = true;
    put(range.value, false);
  });
  range.addEventListener("change", () => {
    isHeld = false;
    put(range.value);
  });
  const track = trackOf(cell);
  if (track) range.classList.add("track", track);
  return {
    node: [range, typed.node], width: "broad",
    update() {
      if (!isHeld) range.value = String(cell.value ?? cell.minValue);
      range.setAttribute("aria-valuetext", valueInWords(cell));
      const span = cell.maxValue - cell.minValue;
      range.style.setProperty("--part", `${((Number(range.value) - cell.minValue) / span) * 100}%`);
      typed.update();
    },
  };
}

function number({ cell, id, name, put }) {
  const node = h("input", {
    type: "number", id, "aria-label": name, min: cell.minValue, max: cell.maxValue, step: stepOf(cell) ?? "any", inputmode: "decimal",
    on: { change: () => node.value !== "" && put(node.value) },
  });
  return {
    node: h("span", { class: "number" }, node, h("span", { class: "unit", "aria-hidden": "true" }, unitOf(cell).trim())), isLabelled: true,
    update() {
      if (document.activeElement === node && node.matches(":user-invalid")) return;
      const text = cell.value === null ? "" : typeof cell.value === "number" ? String(Math.round(cell.value * 1000) / 1000) : String(cell.value);
      if (node.value !== text) node.value = text;
    },
  };
}

function string({ cell, id, put }) {
  const node = h("input", { type: "text", id, maxlength: cell.maxLen ?? 64, autocomplete: "off", spellcheck: "false", on: { change: () => put(JSON.stringify(node.value)) } });
  return {
    node, width: "broad",
    update() { if (document.activeElement !== node || node.value === "") node.value = cell.value ?? ""; },
  };
}

/** Bytes are base64 text. */
function bytes({ cell, id, put }) {
  const node = h("textarea", { id, rows: 2, autocomplete: "off", spellcheck: "false", on: { change: () => put(JSON.stringify(node.value.replaceAll(/\s/g, ""))) } });
  const length = h("small", { class: "unit" });
  return {
    node: [node, length], width: "broad",
    update() {
      if (document.activeElement !== node) node.value = cell.value ?? "";
      say(length, valueInWords(cell));
    },
  };
}

function plainText({ cell, id, name }) {
  const node = h("output", { id, "aria-label": name });
  return { node, isLabelled: true, update() { say(node, valueInWords(cell)); } };
}

/** The last press; buttons that press are at the foot of the service. */
function pressText({ cell, id, name }) {
  const node = h("output", { id, "aria-label": name });
  let timer = null;
  return {
    node, isLabelled: true,
    update() {
      say(node, cell.value === null ? "Not pressed" : valueInWords(cell));
      clearTimeout(timer);
      timer = setTimeout(() => say(node, "Not pressed"), 3000);
    },
  };
}

function trigger({ cell, id, name, put }) {
  return {
    node: h("button", { type: "button", id, "aria-label": name, on: { click: () => put(cell.format === "bool" ? "true" : "1") } }, cell.type === IDENTIFY ? "Identify" : "Write"),
    isLabelled: true,
    update() {},
  };
}

/** A swatch above the sliders of a lamp that has colours. */
export const colourRow = colourControl;
