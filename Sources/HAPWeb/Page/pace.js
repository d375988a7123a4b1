// The speed of simulated time, for pictures that move as long as the device does.

let scale = 1;

/** Applies the answer of `GET /v1/clock`. */
export function setPace(clock) {
  scale = clock.scale;
}

/** Converts simulated seconds to real seconds; Infinity while time is frozen or jumps. */
export const realSeconds = (simulated) => simulated / scale;
