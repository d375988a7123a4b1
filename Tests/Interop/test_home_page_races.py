"""The page of homes while answers are late: events, other answers and the user come first.

On real sockets because a browser is a third party.
"""

import re

from playwright.async_api import expect

from home_web import HOME, ZONE, begin, card, dialog, distant_time, flat, go, homes, scene, tile  # noqa: F401 (fixtures)
from page_browser import READS, Gate, browser, drawn, open_page, switch  # noqa: F401 (fixtures)
from process import PROFILES
from test_home_hub import CODE

# A store of its own in the page. Its loads are held back.
STORE = """async () => {
  const { Store } = await import("/store.js");
  const store = new Store();
  Object.assign(window, { store, loads: [], hasEnded: false });
  window.load = (number) => {
    loads.push(store.load().then(() => {
      hasEnded = true;
      return `${number}: ${store.model?.detail.name}`;
    }));
  };
}"""
# The answer of the load before has Off, and no evaluation.
EVENTS = """() => {
  const cell = [...store.model.cells.values()].find((cell) => cell.name === "On");
  const [trigger] = store.model.detail.triggers;
  store.receive({ event: "values", values: [{ characteristic: cell.id, value: true }] });
  store.receive({ event: "evaluated", evaluation: { trigger: trigger.id, number: 1, time: "2026-01-01T00:00:00Z", outcome: "executed", text: "new" } });
  window.state = () => [cell.value, store.model.detail.triggers[0].lastEvaluation?.text];
}"""
WHEN = """async ([time, now]) => (await import("/when.js")).when(time, "Europe/Berlin", Date.parse(now))"""


async def set_lamp(home, value):
    """A change at the lamp, which the page gets as an event."""
    assert (await home.simulator.command("set", accessory="Lamp", characteristic="On", value=value))["ok"]


async def test_overlapping_loads_end_with_the_newest_answer_and_lose_no_event(flat, open_page):
    await flat.well("trigger", "add", "later", "--when", f"at {distant_time()}", "--run", "Lamp/On is on")
    page = await open_page(flat.page)
    await expect(switch(page, "Lamp")).to_be_enabled()
    lists, home = Gate(), Gate(holds_answers=True)
    await page.route("**/v1/homes", lists)
    await page.route(HOME, home)
    await page.evaluate(STORE)
    # The second load is faster, and the first one waits for it.
    await page.evaluate("[1, 2].forEach(load)")
    await lists.let(2)
    await home.nth(1)
    await lists.let(1)
    await drawn(page)
    assert not await page.evaluate("hasEnded")
    await home.let(1)
    assert await page.evaluate("Promise.all(loads)") == ["1: My Home", "2: My Home"]

    # Two loads are under way, and an event comes before the answer of the first.
    lists.open()
    await page.evaluate("load(3)")
    await home.nth(2)
    await page.evaluate("load(4)")
    await home.nth(3)
    await page.evaluate(EVENTS)
    await home.let(2)
    await page.evaluate("loads[2]")
    assert await page.evaluate("state()") == [True, "new"]
    home.open()

    # Days are those of the calendar: on 29 March 2026 the clocks are put forward.
    for expected in [
        ("2026-03-29T21:30:00Z", "2026-03-28T22:45:00Z", "tomorrow, 23:30"), ("2026-03-28T22:45:00Z", "2026-03-29T21:30:00Z", "yesterday, 23:45"),
        ("2026-10-25T22:59:00Z", "2026-10-24T22:00:00Z", "today, 23:59"), ("2026-03-30T21:30:00Z", "2026-03-28T22:45:00Z", "Mon, Mar 30, 23:30"),
    ]:  # fmt: skip
        assert await page.evaluate(WHEN, list(expected[:2])) == expected[2]


async def test_a_scene_gets_the_value_that_the_editor_shows_and_shows_each_result(flat, open_page):
    page = await open_page(flat.page, refusals=True)
    await go(page, "Scenes")
    await page.get_by_role("button", name="Edit Good Night").click()
    editing = dialog(page, "Edit Good Night")
    await editing.get_by_label("Accessory").select_option("Lamp")
    await editing.get_by_label("Characteristic").select_option("On")
    await expect(editing.locator("output")).to_have_text("Off")
    await set_lamp(flat, True)
    await expect(editing.locator("output")).to_have_text("On")
    # The answer to the read is older than the event, and the user chooses another characteristic meanwhile.
    reads = Gate(holds_answers=True)
    await page.route("**/characteristics/*", reads)
    await editing.get_by_role("button", name="Add action").click()
    await reads.nth(1)
    await set_lamp(flat, False)
    await expect(editing.locator("output")).to_have_text("Off")
    await editing.get_by_label("Characteristic").select_option("Brightness")
    await reads.let(1)
    await expect(editing.get_by_role("listitem")).to_have_text(["Lamp/On: offRemove"])
    reads.open()
    await editing.get_by_role("button", name="Close").click()

    # A result that is equal to the one before a failure.
    good_night = scene(page, "Good Night")
    press, result = good_night.get_by_role("button", name="Good Night", exact=True), good_night.get_by_role("status")
    await press.click()
    await expect(result).to_have_text("✓ Done: 1 action")
    # Events arrive in order, so that of the execution has arrived before this one.
    await flat.well("scene", "add", "other", "Lamp/On", "on")
    await expect(scene(page, "other")).to_be_visible()
    executions = Gate()
    await page.route("**/execute", executions)
    await press.click()
    await executions.let(1, {"status": 503, "json": {"error": {"code": "busy", "message": "the hub is busy"}}})
    # An empty result is hidden.
    await expect(result).to_have_count(0)
    await flat.well("run", "Good Night")
    await expect(result).to_have_text("✓ Done: 1 action")


async def test_a_switch_is_disabled_until_its_value_is_known(flat, open_page):
    page = await open_page(flat.page)
    await expect(switch(page, "Lamp")).to_be_enabled()
    events = Gate()

    async def without_values(route):
        answer = await route.fetch()
        home = await answer.json()
        for characteristic in (one for accessory in home["accessories"] for service in accessory["services"] for one in service["characteristics"]):
            characteristic["value"] = None
        await route.fulfill(response=answer, json=home)

    await page.route("**/v1/homes/events?*", events)
    await page.route(HOME, without_values)
    await page.reload()
    await expect(switch(page, "Lamp")).to_be_disabled()
    await expect(page.get_by_role("button", name="Lock Front Door")).to_be_disabled()
    await tile(page, "Lamp").get_by_role("link").click()
    await expect(switch(page, "On")).to_be_disabled()
    await events.nth(1)
    events.open()
    await set_lamp(flat, True)
    await expect(switch(page, "On")).to_be_enabled()
    await expect(switch(page, "On")).to_have_attribute("aria-checked", "true")


async def test_a_second_click_opens_no_second_dialog_and_a_renewed_token_is_used(flat, open_page):
    page = await open_page(flat.page, refusals=True)
    starts, tokens = Gate(), Gate()
    await page.route("**/v1/homes/setups", starts)
    await page.route("**/token", tokens)
    add = page.get_by_role("button", name="Add accessory")
    await add.click()
    await add.click()
    await starts.let(1)
    await expect(dialog(page, "Add an accessory").get_by_label("Setup code or payload")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert len(starts.came) == 1
    await go(page, "People")
    link = page.get_by_role("button", name="Link to the page for Anna")
    await link.click()
    await link.click()
    await tokens.let(1)
    await expect(page.get_by_role("dialog")).to_have_count(1)
    assert len(tokens.came) == 1

    # The token of this page. The hub refuses the one before, and ends the events with it, before the answer arrives.
    renewals = Gate(holds_answers=True)
    await page.route("**/token", renewals)
    async with page.expect_response(lambda answer: answer.status == 401):
        await page.get_by_role("dialog").get_by_role("button", name="Renew").click()
        await renewals.nth(1)
    await renewals.let(1)
    await expect(page.get_by_text("The connection is back")).to_be_visible()
    await expect(page.get_by_role("dialog", name="The hub requires a token")).to_have_count(0)
    await flat.well("user", "add", "Ben", "--role", "guest")
    await page.keyboard.press("Escape")
    await expect(card(page, "Ben")).to_be_visible()


async def test_a_form_waits_until_its_file_is_read(homes, open_page, tmp_path):
    home = homes()
    await home.serve()
    page = await open_page(home.page, refusals=True)
    await page.evaluate(READS)
    await page.get_by_role("button", name="Accept a share…").click()
    accepting = dialog(page, "Accept a share")
    file, accept, alert = accepting.get_by_label("A file with a shared home"), accepting.get_by_role("button", name="Accept"), accepting.get_by_role("alert")
    share = tmp_path / "wrong.hashare"
    share.write_text("no share")
    await file.set_input_files(share)
    await accept.click()
    await expect(accept).to_be_disabled()
    await page.evaluate("turns[0].read()")
    await expect(alert).to_contain_text("no share")
    await expect(accepting.get_by_label("Or its text")).to_have_value("no share")
    # A file that can't be read, and then another one, whose text the user replaces.
    await file.set_input_files([])
    await file.set_input_files(share)
    await accept.click()
    await page.evaluate("turns[1].fail()")
    await expect(alert).to_have_text("wrong.hashare can't be read")
    await file.set_input_files([])
    await file.set_input_files(share)
    await accepting.get_by_label("Or its text").fill("typed")
    await page.evaluate("turns[2].read()")
    await drawn(page)
    await expect(accepting.get_by_label("Or its text")).to_have_value("typed")


async def test_the_steps_of_a_setup_keep_typed_text_and_wait_for_the_home(run, flat, open_page):
    await flat.well("new", "Cabin", "--zone", ZONE)
    page = await open_page(flat.page, refusals=True)
    await expect(tile(page, "Lamp")).to_be_visible()
    # The chosen home stays chosen while it is loaded.
    choice, home = page.get_by_role("combobox", name="Home"), Gate()
    await page.route(HOME, home)
    await choice.select_option("Cabin")
    await home.nth(1)
    await drawn(page)
    await expect(choice.locator("option:checked")).to_have_text("Cabin")
    home.open()
    await expect(page.get_by_role("main")).to_contain_text("No accessory yet.")
    await choice.select_option("My Home")
    await expect(tile(page, "Lamp")).to_be_visible()

    adding = await begin(page)
    await adding.get_by_role("button", name="My Home").click()
    code, back = adding.get_by_label("Setup code or payload"), adding.get_by_role("button", name="Back")
    await expect(back).to_be_visible()
    await code.fill("031")
    # There is no step before any more.
    await flat.well("delete", "Cabin")
    simulator = await run(PROFILES / "light-white.hasaccessory", options=("--setup-code", CODE))
    await expect(adding).to_contain_text("1 accessory can be added")
    await expect(back).to_have_count(0)
    await expect(code).to_have_value("031")

    is_busy = True

    async def lists(route):
        await (route.fulfill(status=503, json={"error": {"code": "busy", "message": "the hub is busy"}}) if is_busy else route.fallback())

    await page.route("**/v1/homes", lists)
    await code.fill(simulator.accessory.setup_payload)
    await page.keyboard.press("Enter")
    await expect(adding.get_by_role("heading", name="The home was not loaded")).to_be_visible()
    await expect(adding.get_by_role("alert")).to_have_text("the hub is busy")
    is_busy = False
    loads = Gate()
    await page.route("**/v1/homes", loads)
    await adding.get_by_role("button", name="Try again").click()
    await loads.nth(1)
    await expect(adding.get_by_role("heading", name="Loading…")).to_be_focused()
    loads.open()
    await expect(adding.get_by_label("Name", exact=True)).to_be_focused()


async def test_a_cancelled_setup_does_not_return_and_a_slow_removal_does_not_turn_the_page(flat, open_page):
    page = await open_page(flat.page, refusals=True)
    await expect(tile(page, "Lamp")).to_be_visible()
    # The page connects again and again. It asks for the state of the setup each time.
    is_lost = True

    async def events(route):
        await (route.abort() if is_lost else route.fallback())

    setups = Gate(holds_answers=True)
    await page.route("**/v1/homes/events?*", events)
    await page.reload()
    await expect(page.get_by_text("The connection to the hub is lost.")).to_be_visible()
    await page.evaluate("document.querySelector('#tools .primary').click()")
    adding = dialog(page, "Add an accessory")
    await expect(adding).to_be_visible()
    await page.route(re.compile("/v1/homes/setups/1$"), setups)
    await setups.nth(1)
    await page.keyboard.press("Escape")
    await setups.let(2)
    await expect(adding).to_have_count(0)
    async with page.expect_request("**/v1/homes/events?*"):
        setups.open()
    await expect(adding).to_have_count(0)
    is_lost = False
    await expect(page.get_by_text("The connection is back")).to_be_visible()

    # The user leaves the details while the accessory is removed.
    await page.get_by_role("link", name="Laptop Bridge, details").click()
    await page.get_by_role("button", name="Remove…").click()
    removals = Gate()
    await page.route("**/accessories/*", removals)
    await dialog(page, "Remove Laptop Bridge?").get_by_role("button", name="Remove", exact=True).click()
    await removals.nth(1)
    await page.evaluate("location.hash = '#/people'")
    removals.open()
    await expect(page.get_by_text("Laptop Bridge is removed.")).to_be_visible()
    await expect(page.get_by_role("heading", name="People", level=2)).to_be_visible()


async def test_the_newest_evaluations_of_a_trigger_are_shown(flat, open_page):
    await flat.well("trigger", "add", "later", "--when", f"at {distant_time()}", "--if", "Hall Sensor/Motion Detected is true", "--run", "Lamp/On is on")
    page = await open_page(flat.page)
    await go(page, "Triggers")
    lists = Gate(holds_answers=True)
    await page.route("**/evaluations", lists)
    later = card(page, "later")
    await later.get_by_text("Why?").click()
    await lists.nth(1)
    await page.get_by_role("button", name="Fire now: later").click()
    await lists.let(2)
    await expect(later.get_by_role("listitem")).to_contain_text(["the condition is false"])
    lists.open()
    await drawn(page)
    await expect(later.get_by_role("listitem")).to_contain_text(["the condition is false"])
