// Places in a profile for new services and characteristics.

import { laidOut, readExactly } from "./json-text.js";

/** `[{ label, owner }]`: the owners of service lists: the accessory and its bridged accessories. */
export function serviceLists(profile) {
  const lists = [];
  const own = { label: profile.name ?? "The accessory", owner: profile };
  lists.push(own, ...(profile.bridgedAccessories ?? []).map((one) => ({ label: one.copies ? `${one.name} (${one.copies} copies)` : one.name, owner: one })));
  return lists;
}

/** `[{ label, service }]` */
export const servicesOf = (profile) =>
  serviceLists(profile).flatMap(({ label, owner }) => (owner.services ?? []).map((service) => ({ label: `${label}: ${service.name ?? service.type}`, service })));

/** Returns the text after a change by `edit(profile)`. */
export function edited(text, edit) {
  const profile = readExactly(text);
  edit(profile);
  return `${laidOut(profile)}\n`;
}
