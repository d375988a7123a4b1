// The control that fits a characteristic, labelled, with its value both ways.

import { h, identifier, options, say } from "./dom.js";
import { isBeingSet, set } from "./setting.js";
import { aboutCell } from "./about-cell.js";
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
  // One function of each kind for all that is put: of wishes that wait only the latest is heard, and it may be the final one.
  const settled = () => control.update();
  const refused = (error) => say(problem, error?.message ?? "");
  const silent = () => say(problem, "");
  const put = (text, isFinal = true) => set(context.number, cell, text, { onRefused: isFinal ? refused : silent, onSettled: settled });
  // A row that is made meanwhile begins with the value that there is.
  let isShown = false;
  const isWaiting = () => isShown && isBeingSet(cell);
  const control = kindOf(cell, context)({ cell, id, name, put, isWaiting, context });
  const label = control.isLabelled ? h("span", { class: "name", id: `${id}-label` }, name) : h("label", { class: "name", for: id }, name);
  control.update();
  isShown = true;
  context.scope.watch([cell], control.update);
  return h("div", { class: `characteristic ${control.width ?? ""}`, data: { address: cell.id, type: cell.type } },
    h("div", { class: "what" }, label, aboutCell(cell, name, context)), h("div", { class: "how" }, control.node), problem);
}

export const nameOf = (cell) => (cell.description && !cell.name.includes(cell.description) ? `${cell.name} (${cell.description})` : cell.name);

function kindOf(cell, context) {
  if (cell.type === PRESS) return pressText;
  if (context.isReported?.(cell)) return plainText;
  if (cell.type === IDENTIFY || (!cell.perms.includes("pr") && cell.format === "bool")) return trigger;
  const choices = choicesOf(cell);
  if (choices && cell.words) return choices.length <= 4 ? segments : choice;
  if (cell.format === "bool") return toggle;
  if (choices) return choice;
  if (BYTES.has(cell.format)) return bytes;
  if (cell.format === "string") return cell.perms.includes("pw") ? string : plainText;
  return isSlider(cell) ? slider : number;
}

/** `[[value, words]]` where there is a set of values: those that are valid, each by its word where it has one. Null: there is none. */
function choicesOf(cell) {
  const words = Object.entries(cell.words ?? {}).map(([word, value]) => [value, plain(word)]);
  const valid = cell["valid-values"];
  if (!valid) return words.length > 0 ? words : null;
  const known = new Map(words);
  return valid.map((value) => [value, known.get(value) ?? `${value}${unitOf(cell)}`]);
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

/** Few words stand side by side; a value that is none of them stands below. */
function segments({ cell, id, name, put, isWaiting }) {
  const inputs = choicesOf(cell).map(([value, words]) => {
    const input = h("input", { type: "radio", name: id, id: `${id}-${value}`, value: String(value), on: { change: () => put(jsonOf(cell, value)) } });
    return { input, value, node: h("span", { class: "segment" }, input, h("label", { for: input.id }, words)) };
  });
  const other = h("span", { class: "beside" });
  return {
    node: [h("div", { class: "segments", role: "radiogroup", "aria-label": name }, inputs.map((one) => one.node)), other], isLabelled: true, width: "broad",
    update() {
      if (isWaiting()) return;
      for (const { input, value } of inputs) input.checked = Number(cell.value) === value && cell.value !== null;
      say(other, cell.value === null || inputs.some(({ input }) => input.checked) ? "" : `It is ${valueInWords(cell)}`);
    },
  };
}

/** Many words, or the values that are valid. */
function choice({ cell, id, put, isWaiting }) {
  const node = h("select", { id, on: { change: () => put(jsonOf(cell, Number(node.value))) } }, options(choicesOf(cell)));
  return {
    node,
    update() {
      if (isWaiting()) return;
      const text = String(Number(cell.value));
      const isKnown = cell.value !== null && [...node.options].some((option) => option.value === text && !option.dataset.other);
      node.querySelector("[data-other]")?.remove();
      if (!isKnown) node.prepend(h("option", { value: "other", data: { other: "yes" }, disabled: true }, valueInWords(cell)));
      node.value = isKnown ? text : "other";
    },
  };
}
const jsonOf = (cell, value) => (cell.format === "bool" ? String(Boolean(value)) : String(value));

/** A slider, and the number beside it, which can be typed as well. While it is moved, and until that is settled, it shows what is wished for. */
function slider(parts) {
  const { cell, id, name, put, isWaiting } = parts;
  const step = stepOf(cell) ?? "any";
  let isHeld = false;
  /** What was wished for last, until that is settled. */
  let wished = null;
  const range = h("input", { type: "range", id, min: cell.minValue, max: cell.maxValue, step: step === "any" ? (cell.maxValue - cell.minValue) / 1000 : step });
  const wish = (text, isFinal = true) => {
    wished = Number(text);
    put(text, isFinal);
  };
  const typed = number({ ...parts, id: `${id}-number`, name: `${name}, as a number`, put: (text) => {
    range.value = text;
    wish(text);
  } });
  const show = (value) => {
    range.setAttribute("aria-valuetext", valueInWords(cell, value));
    const span = cell.maxValue - cell.minValue;
    range.style.setProperty("--part", `${((Number(range.value) - cell.minValue) / span) * 100}%`);
    typed.show(value);
  };
  const update = () => {
    if (wished !== null && (isHeld || isWaiting())) return show(wished);
    wished = null;
    range.value = String(cell.value ?? cell.minValue);
    show(cell.value);
  };
  range.addEventListener("input", () => {
    isHeld = true;
    show(Number(range.value));
    wish(range.value, false);
  });
  range.addEventListener("change", () => {
    isHeld = false;
    wish(range.value);
  });
  // Where it was let go as it was before, there is no change; where there is one, it comes behind the pointer's event.
  const letGo = () => {
    isHeld = false;
    update();
  };
  for (const event of ["pointerup", "pointercancel"]) range.addEventListener(event, () => setTimeout(letGo));
  range.addEventListener("blur", letGo);
  const track = trackOf(cell);
  if (track) range.classList.add("track", track);
  return { node: [range, typed.node], width: "broad", update };
}

/**
 * A field that is typed in. What somebody has begun to type isn't written over; what was put isn't until it is settled.
 * `show(value)` writes into it, `commit()` puts what it says.
 */
function typedIn(node, { cell, isWaiting }, show, commit) {
  let isBegun = false;
  const update = (value = cell.value) => !isBegun && show(value);
  const updateFromCell = () => !isWaiting() && update();
  node.addEventListener("input", () => { isBegun = true; });
  node.addEventListener("change", () => {
    isBegun = false;
    commit();
  });
  node.addEventListener("blur", () => {
    isBegun = false;
    updateFromCell();
  });
  return { update: updateFromCell, show: update };
}

/** Where nothing is different the caret stays. */
function write(node, text) {
  if (node.value !== text) node.value = text;
}

function number(parts) {
  const { cell, id, name, put } = parts;
  const node = h("input", { type: "number", id, "aria-label": name, min: cell.minValue, max: cell.maxValue, step: stepOf(cell) ?? "any", inputmode: "decimal" });
  const textOf = (value) => (value === null ? "" : typeof value === "number" ? String(Math.round(value * 1000) / 1000) : String(value));
  const { update, show } = typedIn(node, parts, (value) => write(node, textOf(value)), () => node.value !== "" && put(jsonNumber(node.value)));
  return { node: h("span", { class: "number" }, node, h("span", { class: "unit", "aria-hidden": "true" }, unitOf(cell).trim())), isLabelled: true, update, show };
}

/** A number as JSON writes it: people write .5 and 05 as well. Whole ones may be larger than JavaScript's numbers. */
const jsonNumber = (text) => (/^-?\d+$/.test(text) ? text.replace(/^(-?)0+(?=\d)/, "$1") : String(Number(text)));

function string(parts) {
  const { cell, id, put } = parts;
  const node = h("input", { type: "text", id, maxlength: cell.maxLen ?? 64, autocomplete: "off", spellcheck: "false" });
  const { update } = typedIn(node, parts, (value) => write(node, value ?? ""), () => put(JSON.stringify(node.value)));
  return { node, width: "broad", update };
}

/** Bytes are base64 text. */
function bytes(parts) {
  const { cell, id, put } = parts;
  const node = h("textarea", { id, rows: 2, autocomplete: "off", spellcheck: "false" });
  const length = h("small", { class: "unit" });
  const { update } = typedIn(node, parts, (value) => write(node, value ?? ""), () => put(JSON.stringify(node.value.replaceAll(/\s/g, ""))));
  return {
    node: [node, length], width: "broad",
    update() {
      update();
      say(length, valueInWords(cell));
    },
  };
}

/** No live region: what changes by itself many times a second isn't read out each time. */
function plainText({ cell, id }) {
  const node = h("span", { id, class: "reported" });
  return { node, isLabelled: true, update() { say(node, valueInWords(cell)); } };
}

/** The last press; buttons that press are at the foot of the service. */
function pressText({ cell, id }) {
  const node = h("span", { id, class: "reported" });
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
