"""The page of the simulator while answers are late: events, other answers and the user come first.

On real sockets because a browser is a third party.
"""

import re

from playwright.async_api import expect

from page_browser import READS, Gate, browser, drawn, of_api, open_page, switch, tab  # noqa: F401 (fixtures)
from process import PROFILES

BRIDGE = PROFILES / "bridge-two-lights.hasaccessory"
LAMP = PROFILES / "light-white.hasaccessory"
FAULT = "slow-read"

# A store of its own in the page, which shows accessory 1. Its loads are held back.
STORE = """async () => {
  const { Store } = await import("/store.js");
  const store = new Store();
  await Promise.all([store.show(1), store.loadStates()]);
  const on = (model) => [...model.cells.values()].find((cell) => cell.type === "25");
  let seq = 0;
  Object.assign(window, { loads: [] });
  window.load = (name) => { loads.push(store[name]()); };
  window.receive = (number, value) => store.receive({ seq: ++seq, event: "changed", number, aid: on(store.model).aid, iid: on(store.model).iid, value });
  window.values = () => [on(store.model).value, on(store.states.get(1)).value];
}"""


async def test_overlapping_loads_lose_no_event(run, open_page):
    page = await open_page(await run(LAMP, BRIDGE))
    await expect(page.get_by_role("navigation", name="Accessories").get_by_role("listitem")).to_have_count(2)
    await page.evaluate(STORE)
    loads = Gate(holds_answers=True)
    await page.route(re.compile(r"/v1/accessories(/1|\?types=.*)$"), loads)
    # Two loads of the accessory, and two of the list. Events come before the answers to the first ones, also one about another accessory.
    for number, name in enumerate(["loadDetail", "loadDetail", "loadStates", "loadStates"], 1):
        await page.evaluate("(name) => load(name)", name)
        await loads.nth(number)
    before = await page.evaluate("values()")
    await page.evaluate("(value) => { receive(1, value); receive(2, !value); }", not before[0])
    await loads.let(1)
    await loads.let(3)
    await page.evaluate("Promise.all([loads[0], loads[2]])")
    assert await page.evaluate("values()") == [not value for value in before]
    loads.open()


async def test_late_answers_change_neither_typed_text_nor_newer_states(run, open_page):
    simulator = await run(LAMP)
    page = await open_page(simulator, "#/1/profile")
    area = page.get_by_label("The profile as JSON")
    await expect(area).not_to_have_value("")
    # Another client changes the profile, and the user types before the page has loaded it.
    profiles = Gate(holds_answers=True)
    await page.route("**/v1/accessories/1/profile", profiles)
    written = await of_api(simulator, "GET", "/accessories/1/profile")
    await of_api(simulator, "PUT", "/accessories/1/profile", {**written, "firmwareRevision": "1.0.1"})
    await profiles.nth(1)
    await area.fill("typed")
    profiles.open()
    await drawn(page)
    await expect(area).to_have_value("typed")

    # Faults are shown when their states are known, and an older answer does not replace a newer one.
    states = Gate(holds_answers=True)
    await page.route("**/v1/accessories/1/faults", states)
    await tab(page, "Faults")
    await states.nth(1)
    await drawn(page)
    faults = page.get_by_role("region", name="Faults")
    await expect(faults).to_contain_text("Loading…")
    await expect(faults.get_by_role("switch")).to_have_count(0)
    await of_api(simulator, "PUT", f"/accessories/1/faults/{FAULT}", {})
    await states.let(2)
    slow = faults.get_by_role("switch", name=FAULT.replace("-", " ").capitalize())
    await expect(slow).to_have_attribute("aria-checked", "true")
    states.open()
    await drawn(page)
    await expect(slow).to_have_attribute("aria-checked", "true")


async def test_a_second_click_opens_no_second_dialog_and_a_form_waits_for_its_file(run, open_page, tmp_path):
    simulator = await run(LAMP, options=("--virtual-time",))
    page = await open_page(simulator, "#/1/profile", refusals=True)
    for button in ("Add a service…", "+ Add accessory"):
        catalogue = Gate()
        await page.route("**/v1/catalogue", catalogue)
        # The page keeps the catalogue.
        await page.reload()
        opens = page.get_by_role("button", name=button)
        await opens.click()
        await opens.click()
        await catalogue.nth(1)
        catalogue.open()
        await expect(page.get_by_role("dialog").first).to_be_visible()
        await drawn(page)
        await expect(page.get_by_role("dialog")).to_have_count(1)
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)

    await page.evaluate(READS)
    await page.get_by_role("button", name="Play…").click()
    playing = page.get_by_role("dialog", name="Play a scenario")
    scenario = tmp_path / "late.yaml"
    scenario.write_text("scenario: Late\nsteps:\n- note: late\n")
    await playing.get_by_label("A file").set_input_files(scenario)
    await playing.get_by_role("button", name="Play", exact=True).click()
    await page.evaluate("turns[0].read()")
    await expect(page.get_by_role("region", name="Scenario")).to_contain_text("“Late” passed")

    # A clock that can't be loaded is no error of the page.
    clocks = Gate()
    await page.route("**/v1/clock", clocks)
    await page.get_by_role("button", name="Advance", exact=True).click()
    await clocks.let(1, {"status": 503, "json": {"error": {"code": "busy", "message": "hapsim is busy"}}})
    await drawn(page)
    clocks.open()
