// Work that changes what is seen waits for the next frame, and is done once however often it was asked for.

const jobs = new Set();
let isScheduled = false;

function run() {
  isScheduled = false;
  const due = [...jobs];
  jobs.clear();
  for (const job of due) job();
}

/** Does it before the next frame is drawn; a page that nobody sees has no frames, and gets a timer instead. */
export function soon(job) {
  jobs.add(job);
  if (isScheduled) return;
  isScheduled = true;
  if (document.hidden) setTimeout(run, 50);
  else requestAnimationFrame(run);
}

/** A function that does it a while after it was last asked for, and at the latest after five times as long. */
export function settled(milliseconds, job) {
  let timer = null;
  let since = 0;
  return () => {
    const now = performance.now();
    if (timer === null) since = now;
    else if (now - since > milliseconds * 4) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      job();
    }, milliseconds);
  };
}
