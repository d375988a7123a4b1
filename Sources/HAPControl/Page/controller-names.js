// Short names of controllers: the log and the lists show "Controller 3F9A" instead of a whole UUID.

const SHORT = 4;
const LONGER = 8;
/** Identifiers by assigned name. */
const known = new Map();
const names = new Map();

/** A controller of Matter: its fabric, and its node without leading zeros. */
function matterName(identifier) {
  const [, fabric, node] = /^Matter fabric (\d+)(?: node 0*([0-9A-F]+))?$/.exec(identifier) ?? [];
  if (fabric !== undefined) return `Matter fabric ${fabric}${node ? ` node ${node}` : ""}`;
  return identifier === "Matter commissioner" ? identifier : null;
}

/** Returns a name that starts with the first characters of the pairing identifier, so it is the same after a restart. */
export function controllerName(identifier) {
  let name = names.get(identifier) ?? matterName(identifier);
  if (name) return name;
  const letters = identifier.replaceAll(/[^\p{L}\p{N}]/gu, "").toUpperCase() || identifier;
  name = [SHORT, LONGER].map((length) => `Controller ${letters.slice(0, length)}`).find((one) => !known.has(one)) ?? `Controller ${identifier}`;
  known.set(name, identifier);
  names.set(identifier, name);
  return name;
}
