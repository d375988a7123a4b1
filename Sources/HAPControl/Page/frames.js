// Work that changes what is seen waits for the next frame, and is done once however often it was asked for.

/** So much at once is a crowd: behind it one frame is left free, for scrolling and for what people do. */
const CROWD = 6;
/** A page that nobody sees has no frames: milliseconds between its turns. */
const UNSEEN = 50;

const jobs = new Set();
/** Takes the turn back that is due; null: none is. */
let cancel = null;
let crowdedAt = -Infinity;

function frame() {
  if (performance.now() - crowdedAt < 20) {
    crowdedAt = -Infinity;
    return schedule();
  }
  run();
}

function run() {
  cancel = null;
  const due = [...jobs];
  jobs.clear();
  for (const job of due) job();
  if (due.length > CROWD) crowdedAt = performance.now();
}

function schedule() {
  if (document.hidden) {
    const timer = setTimeout(run, UNSEEN);
    cancel = () => clearTimeout(timer);
  } else {
    const handle = requestAnimationFrame(frame);
    cancel = () => cancelAnimationFrame(handle);
  }
}

/** Does it before the next frame is drawn. */
export function soon(job) {
  jobs.add(job);
  if (!cancel) schedule();
}

// The frame that was asked for doesn't come while the page is hidden.
document.addEventListener("visibilitychange", () => {
  if (!cancel) return;
  cancel();
  schedule();
});

/**
 * A function that does it a while after it was last asked for, and at the latest after five times as long.
 * `gap()`: so many milliseconds lie between two times at least.
 */
export function settled(milliseconds, job, gap = () => 0) {
  let timer = null;
  let since = 0;
  let last = -Infinity;
  return () => {
    const now = performance.now();
    if (timer === null) since = now;
    else if (now - since > milliseconds * 4) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      last = performance.now();
      job();
    }, Math.max(milliseconds, last + gap() - now));
  };
}
