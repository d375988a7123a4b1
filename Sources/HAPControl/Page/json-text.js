// Reads and writes profiles as formatted text without loss.

/** Parses JSON. Numbers keep their notation, if the browser supports that. */
export function readExactly(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && context && JSON.rawJSON && String(value) !== context.source ? JSON.rawJSON(context.source) : value);
}

const WIDTH = 100;

/** Formats JSON. Lists and objects that fit are written on one line. */
export function laidOut(value, indent = "") {
  if (value === null || typeof value !== "object" || JSON.isRawJSON?.(value)) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const entries = isList ? value : Object.entries(value).filter(([, member]) => member !== undefined);
  if (entries.length === 0) return isList ? "[]" : "{}";
  const isDeep = (isList ? entries : entries.map(([, member]) => member)).some((member) => member !== null && typeof member === "object" && !JSON.isRawJSON?.(member));
  const deeper = `${indent}  `;
  const flat = isList ? entries.map((member) => laidOut(member)) : entries.map(([name, member]) => `${JSON.stringify(name)}: ${laidOut(member)}`);
  const line = isList ? `[${flat.join(", ")}]` : `{ ${flat.join(", ")} }`;
  if (indent !== "" && !line.includes("\n") && indent.length + line.length <= WIDTH && (!isDeep || line.length <= 60)) return line;
  const parts = isList ? entries.map((member) => laidOut(member, deeper)) : entries.map(([name, member]) => `${JSON.stringify(name)}: ${laidOut(member, deeper)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.map((part) => deeper + part).join(",\n")}\n${indent}${close}`;
}

/** Returns the offset of a line and a column, both from 1, in a text. */
export function offsetOf(text, line, column) {
  const lines = text.split("\n");
  return lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}
