// Elements, created by function calls, because the page's Content-Security-Policy forbids inline scripts and styles.

const SVG = "http://www.w3.org/2000/svg";

/** `h("button", { class: "quiet", on: { click } }, "Close")`. Properties that are null or false are omitted. */
export function h(name, properties, ...children) {
  return furnish(document.createElement(name), properties, children);
}

/** The same for SVG elements. */
export function svg(name, properties, ...children) {
  return furnish(document.createElementNS(SVG, name), properties, children);
}

function furnish(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden" || name === "open") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

let lastIdentifier = 0;
/** An id for `label for=` and `aria-*`. */
export function identifier(prefix = "i") {
  lastIdentifier += 1;
  return `${prefix}-${lastIdentifier}`;
}

/** Sets text only if it differs, to avoid needless layout. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A labelled field: `field("Name", input)`. */
export function field(label, control, hint) {
  control.id ||= identifier("field");
  const hintID = hint ? identifier("hint") : null;
  if (hintID) control.setAttribute("aria-describedby", hintID);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, hint ? h("small", { id: hintID }, hint) : null);
}

export function options(entries, chosen) {
  return entries.map(([value, text]) => h("option", { value: String(value), selected: String(value) === String(chosen) }, text));
}
