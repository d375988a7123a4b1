// The control for a characteristic, with a label. It shows the value and sets it.

import { isUnknown } from "./cells.js";
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
/** Largest number of steps for a slider. */
const MOST_STEPS = 2000;

/**
 * A row with the name, the control and the last refusal.
 * `context` has the `scope`, the `service`, `isReported(cell, service)`: whether to show only text, and what `aboutCell` uses.
 */
export function characteristicRow(cell, context) {
  const name = nameOf(cell);
  const problem = h("p", { class: "refused", role: "alert" });
  const id = identifier("control");
  // All requests of this row use the same functions, because only the latest of several queued requests is sent and reported.
  const settled = () => control.update();
  const refused = (error) => {
    say(problem, error ? refusalOf(cell, error) : "");
    control.refused?.(error);
  };
  const silent = () => refused(null);
  const put = (text, isFinal = true) => set(cell, text, { onRefused: isFinal ? refused : silent, onSettled: settled });
  // A row that is built during a request starts with the current value.
  let isShown = false;
  const isWaiting = () => isShown && isBeingSet(cell);
  const control = kindOf(cell, context)({ cell, id, name, put, refuse: refused, isWaiting, context });
  const label = control.isLabelled ? h("span", { class: "name", id: `${id}-label` }, name) : h("label", { class: "name", for: id }, name);
  control.update();
  isShown = true;
  context.scope.watch([cell], control.update);
  return h("div", { class: `characteristic ${control.width ?? ""}`, data: { address: cell.address, type: cell.type } },
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

/** `[[value, words]]` of a set of values: the valid ones, with their names if they have any. null without a set. */
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
      node.disabled = isUnknown(cell);
      say(word, valueInWords(cell));
    },
  };
}
const isTrue = (value) => value === true || value === 1;

/** Few choices are shown side by side. A value that is none of them is shown below. */
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

/** A selection of many choices, or of valid values. */
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
/** Booleans as numbers; a 64-bit number is text already. */
const textOf = (value) => String(typeof value === "boolean" ? Number(value) : value);

/** A slider with a number field next to it. It shows the requested value while it is moved, and until the request is done. */
function slider(parts) {
  const { cell, id, name, put, isWaiting } = parts;
  const step = stepOf(cell) ?? "any";
  let isHeld = false;
  /** The last requested value, until the request is done. */
  let wished = null;
  const range = h("input", { type: "range", id, min: cell.minValue, max: cell.maxValue, step: step === "any" ? (cell.maxValue - cell.minValue) / 1000 : step });
  const wish = (text, isFinal = true) => {
    typed.refused(null);
    wished = Number(text);
    put(text, isFinal);
  };
  /** Whether the last value was typed. If it is refused, it remains in the field. */
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
  // If the slider is released at its old value, there is no change event. Otherwise, the change event follows the pointer event.
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
 * A field for typing. Updates don't overwrite text that the user is typing, nor a value whose request is pending. A refused value remains,
 * so that the user can correct it. Escape restores the current value. `show(value)` writes into the field, `commit()` sets its value.
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

/** Writes only if the text differs, so that the caret stays. */
function write(node, text) {
  if (node.value !== text) node.value = text;
}

/** 64-bit numbers use a text field, because the browser's number field would lose digits. */
function number(parts) {
  const { cell, id, name, put, refuse } = parts;
  const type = isExact(cell) ? { type: "number", min: cell.minValue, max: cell.maxValue, step: stepOf(cell) ?? "any" } : { type: "text", class: "long" };
  const node = h("input", { ...type, id, "aria-label": name, inputmode: "decimal", autocomplete: "off" });
  const commit = () => {
    const text = jsonNumber(node.value);
    if (text !== null) return put(text);
    if (node.value !== "" || node.validity.badInput) return failed(new Error("this is not a number"));
    // An empty field sets nothing and shows the current value again.
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

/** Bytes in base64. */
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

/** Not a live region, because a screen reader would read out each of many changes per second. */
function plainText({ cell, id }) {
  const node = h("span", { id, class: "reported" });
  return { node, isLabelled: true, update() { say(node, valueInWords(cell)); } };
}

/** The last press. The buttons that press are at the bottom of the service. */
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

/** A colour picker above the sliders of a lamp with colours. */
export const colourRow = colourControl;
