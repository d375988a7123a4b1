"""Measures the control page in a headless browser: the time from a controller's write to the visible change, and the frame rate of a page that
shows a bridge of 149 during a thousand events a second.

    HAPSIM=.build/release/hapsim Scripts/in-loopback-namespace .venv/bin/python Benchmarks/page.py

Both use the machine's clock: the time before the write is taken here, the time of the change by a MutationObserver in the page.
"""

import asyncio
import itertools
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "Interop"))

import direct  # noqa: E402
from page_browser import BROWSER  # noqa: E402
from playwright.async_api import async_playwright  # noqa: E402
from process import PROFILES, Simulator  # noqa: E402
from samples import show  # noqa: E402

WRITES = 200
RATE = 1000
SECONDS = 15

# The times in milliseconds since 1970 at which the first light's switch changed, in order.
WATCH = """() => {
  window.changes = [];
  const light = document.querySelector(".tile[data-aid='2'] [role=switch]");
  let before = light.getAttribute("aria-checked");
  new MutationObserver(() => {
    const now = light.getAttribute("aria-checked");
    if (now !== before) window.changes.push(Date.now());
    before = now;
  }).observe(light, { attributeFilter: ["aria-checked"] });
}"""
SEEN = """(number) => new Promise((done) => {
  const look = () => window.changes.length > number ? done(window.changes[number]) : setTimeout(look, 2);
  look();
})"""
FRAMES = """(seconds) => new Promise((done) => {
  const gaps = [], tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
  observer.observe({ type: "longtask" });
  let last = performance.now();
  const end = last + seconds * 1000;
  const frame = (now) => {
    gaps.push(now - last);
    last = now;
    if (now < end) requestAnimationFrame(frame);
    else { observer.disconnect(); done({ gaps: gaps.slice(1), tasks }); }
  };
  requestAnimationFrame(frame);
})"""


async def latency(page, session, name):
    """Switches one light on and off, and waits until each change is visible."""
    await page.evaluate("window.changes = []")
    took = []
    for number in range(WRITES):
        start = time.time() * 1000
        await session.connection.put_json("/characteristics", {"characteristics": [{"aid": 2, "iid": 9, "value": number % 2 == 0}]})
        took.append(await page.evaluate(SEEN, number) - start)
    show(name, took)
    print(f"{'':42} worst {max(took):.1f} ms, over 50 ms: {sum(one > 50 for one in took)} of {len(took)}", flush=True)


async def storm(simulator):
    """Changes a thousand values a second at the device, of all lights except the first, one after the other."""
    ids = itertools.cycle(range(3, 151))
    states = {}
    last = time.perf_counter()
    due = 0.0
    sent = 0
    answered = len(simulator.said)
    while True:
        now = time.perf_counter()
        # Commands are not sent faster than the simulator answers. The rate is then lower, and the page shows it.
        waiting = sent - (len(simulator.said) - answered)
        due = min(due + (now - last) * RATE, max(0, 100 - waiting))
        last = now
        lines = []
        for _ in range(int(due)):
            aid = next(ids)
            states[aid] = not states.get(aid, False)
            lines.append(f'{{"command":"set","accessory":{aid},"characteristic":"{aid}.9","value":{str(states[aid]).lower()}}}\n')
        sent += len(lines)
        due -= len(lines)
        simulator.process.stdin.write("".join(lines).encode())
        await simulator.process.stdin.drain()
        await asyncio.sleep(0.005)


async def frames(page, name):
    measured = await page.evaluate(FRAMES, SECONDS)
    gaps = sorted(measured["gaps"])
    show(name, gaps)
    print(
        f"{'':42} frames a second {len(gaps) / SECONDS:.1f}, worst {gaps[-1]:.0f} ms, over 50 ms: {sum(gap > 50 for gap in gaps)}, "
        f"tasks over 50 ms: {len(measured['tasks'])}; the page says: {await page.locator('.log .rate').inner_text() or 'no events'}", flush=True,
    )


async def main():
    simulator = await Simulator.run(PROFILES / "bridge-149.hasaccessory", options=("--bonjour", "off", "--quiet"))
    await simulator.ready()
    keys = await direct.pair(simulator.accessory)
    async with async_playwright() as playwright, direct.Session(simulator.accessory, keys) as session:
        browser = await playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-dev-shm-usage"])
        page = await browser.new_page(viewport={"width": 1440, "height": 900})
        await page.goto(simulator.said[0]["control"])
        await page.wait_for_selector(".tile[data-aid='150']", state="attached")
        await page.evaluate(WATCH)
        await latency(page, session, "a write is seen")
        await frames(page, "frames, nothing happens")
        task = asyncio.create_task(storm(simulator))
        await asyncio.sleep(2)
        await frames(page, "frames, 1000 events a second")
        await latency(page, session, "a write is seen, 1000 events a second")
        await page.locator("main").evaluate("(main) => { let down = 0; window.scroller = setInterval(() => main.scrollTop = (down += 12) % 2400, 16); }")
        await frames(page, "frames, 1000 events a second, scrolling")
        task.cancel()
        await browser.close()
    await simulator.stop()


asyncio.run(main())
