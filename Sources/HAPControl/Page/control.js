// The control that fits a characteristic, labelled, with its value both ways.

import { h, identifier, options, say } from "./dom.js";
import { isExact, jsonNumber, numberText } from "./numbers.js";
import { refusalOf } from "./rule.js";
import { isBeingSet, set } from "./setting.js";
import { aboutCell } from "./about-cell.js";
import { plain, unitOf, valueInWords } from "./words.js";
import { colourControl, trackOf } from "./colour-control.js";
import { isWriteOnly, writeOnly } from "./write-only.js";

const FLOATS = new Set(["float"]);
const BYTES = new Set(["tlv8", "data"]);
const PRESS = "73";
const IDENTIFY = "14";
/** More steps than these are no slider's. */
const MOST_STEPS = 2000;

/**
 * A row: what it is, its control, and what was refused.
 * `context` has the accessory's `number`, the `scope`, the `service`, and `isReported(cell, service)`: shown as text alone.
 */
export function characteristicRow(cell, context) {
  const name = nameOf(cell);
  const problem = h("p", { class: "refused", role: "alert" });
  const id = identifier("control");
  // One function of each kind for all that is put: of wishes that wait only the latest is heard, and it may be the final one.
  const settled = () => control.update();
  const refused = (error) => {
    say(problem, error ? refusalOf(cell, error) : "");
    control.refused?.(error);
  };
  const silent = () => refused(null);
  const put = (text, isFinal = true) => set(context.number, cell, text, { onRefused: isFinal ? refused : silent, onSettled: settled });
  // A row that is made meanwhile begins with the value that there is.
  let isShown = false;
  const isWaiting = () => isShown && isBeingSet(cell);
  const control = kindOf(cell, context)({ cell, id, name, put, refuse: refused, isWaiting, context });
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
  if (context.isReported?.(cell, context.service)) return plainText;
  if (cell.type === IDENTIFY) return trigger;
  const choices = choicesOf(cell);
  if (isWriteOnly(cell)) return (parts) => writeOnly(parts, cell.format === "bool" ? [["true", "Yes"], ["false", "No"]] : choices);
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
  if (cell.minValue === undefined || cell.maxValue === undefined || !isExact(cell)) return false;
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
      for (const { input, value } of inputs) input.checked = cell.value !== null && textOf(cell.value) === String(value);
      say(other, cell.value === null || inputs.some(({ input }) => input.checked) ? "" : `It is ${valueInWords(cell)}`);
    },
  };
}

/** Many words, or the values that are valid. */
function choice({ cell, id, put, isWaiting }) {
  const node = h("select", { id, on: { change: () => put(jsonOf(cell, node.value)) } }, options(choicesOf(cell)));
  return {
    node,
    update() {
      if (isWaiting()) return;
      const text = textOf(cell.value);
      const isKnown = cell.value !== null && [...node.options].some((option) => option.value === text && !option.dataset.other);
      node.querySelector("[data-other]")?.remove();
      if (!isKnown) node.prepend(h("option", { value: "other", data: { other: "yes" }, disabled: true }, valueInWords(cell)));
      node.value = isKnown ? text : "other";
    },
  };
}
const jsonOf = (cell, value) => (cell.format === "bool" ? String(Boolean(Number(value))) : String(value));
/** Booleans are numbers here; a 64-bit number is text already. */
const textOf = (value) => String(typeof value === "boolean" ? Number(value) : value);

/** A slider, and the number beside it, which can be typed as well. While it is moved, and until that is settled, it shows what is wished for. */
function slider(parts) {
  const { cell, id, name, put, isWaiting } = parts;
  const step = stepOf(cell) ?? "any";
  let isHeld = false;
  /** What was wished for last, until that is settled. */
  let wished = null;
  const range = h("input", { type: "range", id, min: cell.minValue, max: cell.maxValue, step: step === "any" ? (cell.maxValue - cell.minValue) / 1000 : step });
  const wish = (text, isFinal = true) => {
    typed.refused(null);
    wished = Number(text);
    put(text, isFinal);
  };
  /** Whether the value that was sent last was typed: if it is refused, it stays in the field. */
  let isTyped = false;
  const typed = number({ ...parts, id: `${id}-number`, name: `${name}, as a number`, put: (text) => {
    isTyped = true;
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
    isTyped = false;
    isHeld = true;
    wish(range.value, false);
    show(Number(range.value));
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
  return { node: [range, typed.node], width: "broad", update, refused: (error) => isTyped && typed.refused(error) };
}

/**
 * A field that is typed in. Text that somebody began to type isn't written over; a value that was put isn't until it is settled; a value that was
 * refused stays, so that it can be corrected. Escape brings back the current value.
 * `show(value)` writes into it, `commit()` puts what it says.
 */
function typedIn(node, { cell, isWaiting, refuse }, show, commit) {
  let isBegun = false;
  let isRefused = false;
  const update = (value = cell.value) => !isBegun && !isRefused && show(value);
  const updateFromCell = () => !isWaiting() && update();
  const refused = (error) => {
    isRefused = Boolean(error);
    if (isRefused) node.setAttribute("aria-invalid", "true");
    else node.removeAttribute("aria-invalid");
  };
  node.addEventListener("input", () => { isBegun = true; });
  node.addEventListener("change", () => {
    isBegun = false;
    refused(null);
    commit();
  });
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !(isBegun || isRefused)) return;
    isBegun = false;
    refuse(null);
    refused(null);
    show(cell.value);
  });
  node.addEventListener("blur", () => {
    isBegun = false;
    updateFromCell();
  });
  return { update: updateFromCell, show: update, refused };
}

/** Where nothing is different the caret stays. */
function write(node, text) {
  if (node.value !== text) node.value = text;
}

/** 64-bit numbers are text: the browser's number field would count in steps that lose digits. */
function number(parts) {
  const { cell, id, name, put, refuse } = parts;
  const type = isExact(cell) ? { type: "number", min: cell.minValue, max: cell.maxValue, step: stepOf(cell) ?? "any" } : { type: "text", class: "long" };
  const node = h("input", { ...type, id, "aria-label": name, inputmode: "decimal", autocomplete: "off" });
  const commit = () => {
    const text = jsonNumber(node.value);
    if (text !== null) return put(text);
    if (node.value !== "" || node.validity.badInput) return failed(new Error("this is not a number"));
    // An emptied field is no wish: it shows the current value again.
    failed(null);
  };
  const field = typedIn(node, parts, (value) => write(node, numberText(value)), commit);
  const failed = (error) => {
    refuse(error);
    field.refused(error);
    field.show();
  };
  return { node: h("span", { class: "number" }, node, h("span", { class: "unit", "aria-hidden": "true" }, unitOf(cell).trim())), isLabelled: true, ...field };
}

function string(parts) {
  const { cell, id, put } = parts;
  const node = h("input", { type: "text", id, maxlength: cell.maxLen ?? 64, autocomplete: "off", spellcheck: "false" });
  const field = typedIn(node, parts, (value) => write(node, value ?? ""), () => put(JSON.stringify(node.value)));
  return { ...field, node, width: "broad" };
}

/** Bytes are base64 text. */
function bytes(parts) {
  const { cell, id, put } = parts;
  const node = h("textarea", { id, rows: 2, autocomplete: "off", spellcheck: "false" });
  const length = h("small", { class: "unit" });
  const field = typedIn(node, parts, (value) => write(node, value ?? ""), () => put(JSON.stringify(node.value.replaceAll(/\s/g, ""))));
  return {
    ...field, node: [node, length], width: "broad",
    update() {
      field.update();
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
    node: h("button", { type: "button", id, "aria-label": name, on: { click: () => put("true") } }, "Identify"),
    isLabelled: true,
    update() {},
  };
}

/** A swatch above the sliders of a lamp that has colours. */
export const colourRow = colourControl;
