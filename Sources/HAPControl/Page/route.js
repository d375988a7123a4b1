// What is looked at stands in the address: `#/3` an accessory, `#/3/7` the one of aid 7 behind it, `#/3/faults` a part of the page.

export const TABS = ["services", "controllers", "faults", "profile"];

/** `{ number, aid, tab }`; number is null where nothing is chosen, aid null for the accessory itself. */
export function route() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
  const number = /^\d+$/.test(parts[0] ?? "") ? Number(parts[0]) : null;
  const aid = /^\d+$/.test(parts[1] ?? "") ? parts[1] : null;
  const tab = TABS.find((tab) => tab === parts.at(-1)) ?? "services";
  return { number, aid, tab };
}

export function address(number, { aid = null, tab = "services" } = {}) {
  return ["#", number, aid, tab === "services" ? null : tab].filter((part) => part !== null).join("/");
}

export function onRoute(job) {
  addEventListener("hashchange", job);
}
