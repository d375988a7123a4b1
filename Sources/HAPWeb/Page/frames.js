// Visible changes wait for the next frame, and each runs once however often it was requested.

/** After a frame with more jobs than this, one frame is left free for scrolling and input. */
const CROWD = 6;
/** A hidden page has no frames. It runs jobs after this time, in milliseconds. */
const UNSEEN = 50;

const jobs = new Set();
/** Cancels the scheduled run; null without one. */
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

/** Runs a job before the next frame is drawn. */
export function soon(job) {
  jobs.add(job);
  if (!cancel) schedule();
}

// The requested frame doesn't come while the page is hidden.
document.addEventListener("visibilitychange", () => {
  if (!cancel) return;
  cancel();
  schedule();
});

/**
 * Returns a function that runs `job` some time after its last call, and at the latest after five times that time.
 * `gap()`: the shortest time between two runs, in milliseconds.
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
