// Where in a profile there is room for something new.

import { laidOut, readExactly } from "./json-text.js";

/** `[{ label, services }]`: the lists of services of the document and of what is behind it. */
export function serviceLists(profile) {
  const lists = [];
  const own = { label: profile.name ?? "The accessory", owner: profile };
  lists.push(own, ...(profile.bridgedAccessories ?? []).map((one) => ({ label: one.copies ? `${one.name} (${one.copies} copies)` : one.name, owner: one })));
  return lists;
}

/** `[{ label, service }]` */
export const servicesOf = (profile) =>
  serviceLists(profile).flatMap(({ label, owner }) => (owner.services ?? []).map((service) => ({ label: `${label}: ${service.name ?? service.type}`, service })));

/** The text with something put into it by `edit(profile)`. */
export function edited(text, edit) {
  const profile = readExactly(text);
  edit(profile);
  return `${laidOut(profile)}\n`;
}
