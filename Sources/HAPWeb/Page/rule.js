// The valid values of a characteristic, in words.

import { plain, unitOf } from "./words.js";

const RANGES = {
  uint8: "0 to 255", uint16: "0 to 65535", uint32: "0 to 4294967295", uint64: "0 to 18446744073709551615", int: "-2147483648 to 2147483647",
  float: "any number", string: "text of at most 64 bytes",
};

/** "0 to 100 %, in steps of 1"; undefined if the format implies it. */
export function ruleOf(cell) {
  const values = cell["valid-values"];
  if (values) return `one of ${values.map((value) => named(cell, value)).join(", ")}`;
  if (cell["valid-values-range"]) return cell["valid-values-range"].join(" to ");
  if (cell.maxLen !== undefined) return `text of at most ${cell.maxLen} bytes`;
  if (cell.maxDataLen !== undefined) return `at most ${cell.maxDataLen} bytes, as base64`;
  if (cell.minValue === undefined && cell.maxValue === undefined) return RANGES[cell.format];
  const range = cell.maxValue === undefined ? `${cell.minValue} or more` : cell.minValue === undefined ? `${cell.maxValue} or less` : `${cell.minValue} to ${cell.maxValue}`;
  return `${range}${unitOf(cell)}${cell.minStep === undefined ? "" : `, in steps of ${cell.minStep}`}`;
}

function named(cell, value) {
  const word = cell.wordOf?.(value);
  return word ? `${value} (${plain(word)})` : String(value);
}

/** The text below a refused value. */
export function refusalOf(cell, error) {
  // Only a refusal by the page or with status 422 is due to the value; otherwise the rule is not the reason.
  const rule = error.status === undefined || error.status === 422 ? ruleOf(cell) : null;
  return `Not set: ${error.message}.${rule ? ` Allowed: ${rule}.` : ""}`;
}
