// How quickly simulated time passes, for pictures that move as long as the device does.

let scale = 1;

/** Takes `GET /v1/clock`'s answer. */
export function setPace(clock) {
  scale = clock.scale;
}

/** The machine's seconds that so many of the simulation take; Infinity where time stands still or jumps. */
export const realSeconds = (simulated) => simulated / scale;
