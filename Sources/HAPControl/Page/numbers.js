// Numbers as text: what people type, and every digit of a 64-bit number.

/** A number as JSON writes it, or null. People write .5 and 05 as well; whole numbers may be larger than a JavaScript number. */
export function jsonNumber(text) {
  const trimmed = text.trim();
  if (/^[+-]?\d+$/.test(trimmed)) return trimmed.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1");
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? String(Number(trimmed)) : null;
}

/** A number with three decimals at most. A whole number stays as it is: the arithmetic is not exact for large ones. */
export const rounded = (value) => (Number.isInteger(value) ? value : Math.round(value * 1000) / 1000);

/** Text for a field. */
export const numberText = (value) => (value === null || value === undefined ? "" : String(typeof value === "number" ? rounded(value) : value));

/** Whether JavaScript's arithmetic is exact for the range of this characteristic. */
export const isExact = (cell) => cell.format !== "uint64" && [cell.minValue, cell.maxValue, cell.minStep].every((bound) => typeof bound !== "string");
