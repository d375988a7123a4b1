// Numbers as text: user input, and all digits of 64-bit numbers.

/** Returns a number in JSON notation, or null. Users may write .5 and 05; integers may exceed JavaScript numbers. */
export function jsonNumber(text) {
  const trimmed = text.trim();
  if (/^[+-]?\d+$/.test(trimmed)) return trimmed.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1");
  return trimmed !== "" && Number.isFinite(Number(trimmed)) ? String(Number(trimmed)) : null;
}

/** Rounds to three decimals. An integer stays unchanged, because the arithmetic is not exact for large ones. */
export const rounded = (value) => (Number.isInteger(value) ? value : Math.round(value * 1000) / 1000);

/** Returns the text for a field. */
export const numberText = (value) => (value === null || value === undefined ? "" : String(typeof value === "number" ? rounded(value) : value));

/** Whether JavaScript's arithmetic is exact for the range of this characteristic. */
export const isExact = (cell) => cell.format !== "uint64" && [cell.minValue, cell.maxValue, cell.minStep].every((bound) => typeof bound !== "string");
