// Times of a home, in its time zone.

const DAY = 86400000;

function parts(zone, options) {
  try {
    return new Intl.DateTimeFormat(undefined, { timeZone: zone, ...options });
  } catch {
    // The browser may know fewer zones than the hub.
    return new Intl.DateTimeFormat(undefined, { timeZone: "UTC", timeZoneName: "short", ...options });
  }
}

/** "today, 19:00", "tomorrow, 19:00" or "Mon, Nov 30, 19:00". `time` is ISO text. */
export function when(time, zone, now = Date.now()) {
  const at = new Date(time);
  const day = parts(zone, { dateStyle: "short" });
  const name = [["today", 0], ["tomorrow", DAY], ["yesterday", -DAY]].find(([, offset]) => day.format(now + offset) === day.format(at))?.[0];
  const clock = parts(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
  return `${name ?? parts(zone, { weekday: "short", day: "numeric", month: "short" }).format(at)}, ${clock}`;
}
