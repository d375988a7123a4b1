"""The page of homes in a browser: what it shows, what a user can do, and that it follows the accessories, the hub and other apps.

The page must not fail meanwhile: each message on its console fails the test, except messages about answers that a test expects.

On real sockets because a browser is a third party.
"""

import json
import re
import shlex

from playwright.async_api import expect

from home_web import FLAT, HOME, ZONE, begin, card, dialog, distant_time, document, flat, go, homes, lonely_lamp, room, scene, tile  # noqa: F401 (fixtures)
from page_browser import Gate, browser, drawn, open_page, switch  # noqa: F401 (fixtures)
from process import PROFILES
from test_home_hub import CODE

# Every visible element that a keyboard or a pointer operates, without a name that has a letter.
NAMELESS = r"""() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, dialog, nav, [role]")]
  .filter((element) => element.checkVisibility() && !["presentation", "none", "status", "alert", "group"].includes(element.getAttribute("role")))
  .filter((element) => {
    const by = document.getElementById(element.getAttribute("aria-labelledby"))?.textContent;
    const labels = [...(element.labels ?? [])].map((label) => label.textContent).join(" ");
    const name = element.getAttribute("aria-label") ?? by ?? (labels || element.title || (element.matches("input, select, textarea") ? "" : element.textContent));
    return !/[\p{L}\p{N}]/u.test(name);
  }).map((element) => element.outerHTML.slice(0, 120))"""
VIEWS = ["Rooms", "Scenes", "Triggers", "People"]


async def wrote(simulator, name, value):
    """Waits until a controller has written a value."""
    await simulator.wait(lambda line: line.get("event") == "wrote" and line["name"] == name and line["value"] == value)


async def test_a_home_is_added_and_shows_its_rooms_which_are_renamed_and_removed(homes, open_page):
    home = homes()
    await home.serve()
    page = await open_page(home.page)
    await expect(page.get_by_role("heading", name="No home yet")).to_be_visible()
    await page.get_by_role("button", name="Add a home…").click()
    adding = dialog(page, "Add a home")
    await expect(adding.get_by_label("Name", exact=True)).to_be_focused()
    await adding.get_by_label("Your name").fill("Anna")
    await adding.get_by_label("Time zone").fill(ZONE)
    await adding.get_by_role("button", name="Add home").click()
    await expect(page.get_by_role("heading", name="My Home", level=1)).to_be_visible()
    await expect(page.get_by_role("main")).to_contain_text("No accessory yet.")

    await page.get_by_role("button", name="Add a room…").click()
    await dialog(page, "Add a room").get_by_label("Name").fill("Kitchen")
    await page.keyboard.press("Enter")
    await expect(room(page, "Kitchen")).to_be_visible()
    # The rooms were drawn again, and the focus returns nevertheless.
    await expect(page.get_by_role("button", name="Add a room…")).to_be_focused()
    # The change of another app.
    await home.well("room", "add", "Bath")
    await home.well("zone", "add", "Upstairs", "Bath")
    await expect(room(page, "Bath")).to_contain_text("Upstairs")
    await room(page, "Kitchen").get_by_role("button", name="Edit Kitchen").click()
    await dialog(page, "Edit Kitchen").get_by_label("Name").fill("Cellar")
    await page.keyboard.press("Enter")
    await expect(room(page, "Cellar")).to_be_visible()
    await room(page, "Cellar").get_by_role("button", name="Edit Cellar").click()
    await dialog(page, "Edit Cellar").get_by_role("button", name="Remove…").click()
    await page.get_by_role("dialog", name="Remove the room Cellar?").get_by_role("button", name="Remove", exact=True).click()
    await expect(room(page, "Cellar")).to_have_count(0)
    # The button that opened the dialog is gone.
    await expect(page.get_by_role("main")).to_be_focused()
    assert [entry["name"] for entry in (await home.well("show"))["home"]["rooms"]] == ["Bath"]


async def test_tiles_show_the_state_of_the_accessories_and_follow_them(flat, open_page):
    page = await open_page(flat.page)
    await expect(room(page, "Hall").locator(".tile")).to_have_count(2)
    await expect(tile(page, "Front Door")).to_contain_text("Secured")
    await expect(tile(page, "Hall Sensor")).to_contain_text("Motion Detected: no")
    await expect(room(page, "Living Room").locator(".tile")).to_have_count(1)
    await expect(switch(page, "Lamp")).to_have_attribute("aria-checked", "false")
    await expect(room(page, "Bridges and others").get_by_role("link", name="Laptop Bridge, details")).to_be_visible()

    simulator = flat.simulator
    assert (await simulator.command("set", accessory="Lamp", characteristic="On", value=True)).get("ok"), simulator.said
    await expect(switch(page, "Lamp")).to_have_attribute("aria-checked", "true")
    await expect(tile(page, "Lamp")).to_contain_text("On · 100 %")
    await expect(tile(page, "Lamp")).to_have_class(re.compile("is-active"))
    await simulator.command("set", accessory="Hall Sensor", characteristic="Motion Detected", value=True)
    await expect(tile(page, "Hall Sensor")).to_contain_text("Motion Detected: yes")
    await expect(tile(page, "Hall Sensor").locator(".p-person")).to_have_class(re.compile("is-walking"))


async def test_a_switch_a_lock_and_the_controls_of_the_details_reach_the_accessory(flat, open_page):
    page = await open_page(flat.page)
    simulator = flat.simulator
    await switch(page, "Lamp").click()
    await wrote(simulator, "Lamp On", True)
    await expect(switch(page, "Lamp")).to_have_attribute("aria-checked", "true")
    unlock = page.get_by_role("button", name="Unlock Front Door")
    await unlock.click()
    await expect(tile(page, "Front Door")).to_contain_text("Unsecured")
    await expect(page.get_by_role("button", name="Lock Front Door", exact=True)).to_have_text("Lock")
    assert await flat.value("Front Door/Lock Current State") == 0

    await tile(page, "Lamp").get_by_role("link").click()
    await expect(page.get_by_role("heading", name="Lamp", level=2)).to_be_focused()
    await expect(page.locator("dl.facts")).to_contain_text("LAPTOP-4")
    await page.get_by_label("Brightness, as a number").fill("40")
    await page.keyboard.press("Enter")
    await wrote(simulator, "Lamp Brightness", 40)
    await expect(page.locator(".glance")).to_contain_text("40 %")
    await simulator.command("set", accessory="Lamp", characteristic="Brightness", value=70)
    await expect(page.get_by_role("slider", name="Brightness", exact=True)).to_have_value("70")
    await page.get_by_role("button", name="Identify").click()
    await simulator.wait(lambda line: line.get("event") == "identify")
    await page.get_by_role("link", name="‹ Laptop Bridge").click()
    await expect(page.get_by_role("heading", name="Laptop Bridge", level=2)).to_be_visible()
    await expect(room(page, "Accessories behind the bridge").locator(".tile")).to_have_count(3)


async def test_the_tiles_of_a_large_home_are_found_by_name(run, flat, open_page):
    simulator = await run(PROFILES / "bridge-149.hasaccessory", options=("--setup-code", CODE))
    await flat.add(simulator.accessory)
    names = [accessory["name"] for accessory in (await flat.well("show"))["home"]["accessories"]]
    page = await open_page(flat.page)
    await expect(page.get_by_role("main")).to_contain_text(f"{len(names)} accessories")
    tiles = page.get_by_role("main").locator(".tile")
    count = await tiles.count()
    assert count > 150
    await page.get_by_label("Find an accessory").fill("hall s")
    await expect(page.get_by_role("main").get_by_text(f"1 of {count}")).to_be_visible()
    await expect(tiles.locator("visible=true")).to_have_count(1)
    await expect(tile(page, "Hall Sensor")).to_be_visible()
    await page.get_by_label("Find an accessory").fill("")
    await expect(tiles.locator("visible=true")).to_have_count(count)
    # A value of one of many accessories.
    await simulator.command("set", accessory=names[-1], characteristic="On", value=True)
    last = tile(page, names[-1])
    await last.scroll_into_view_if_needed()
    await expect(last).to_contain_text("On")
    await expect(last.locator(".picture")).to_be_visible()


async def test_a_refused_value_is_shown_with_the_reason(flat, open_page):
    page = await open_page(flat.page, refusals=True)
    await tile(page, "Lamp").get_by_role("link").click()
    await page.get_by_label("Brightness, as a number").fill("300")
    await page.keyboard.press("Enter")
    row = page.locator("[data-address]", has_text="Brightness")
    await expect(row.get_by_role("alert").first).to_contain_text("Not set:")
    await expect(page.get_by_label("Brightness, as a number")).to_have_value("300")
    await page.keyboard.press("Escape")
    await expect(page.get_by_label("Brightness, as a number")).to_have_value("100")


async def test_a_scene_is_made_from_present_values_and_executed(flat, open_page):
    page = await open_page(flat.page)
    await go(page, "Scenes")
    await page.get_by_role("button", name="Add a scene…").click()
    await dialog(page, "Add a scene").get_by_label("Name").fill("hi house")
    await page.keyboard.press("Enter")
    await expect(scene(page, "hi house")).to_contain_text("No actions yet")
    await flat.well("set", "Lamp/On", "on")
    await page.get_by_role("button", name="Edit hi house").click()
    editing = dialog(page, "Edit hi house")
    await editing.get_by_label("Accessory").select_option("Lamp")
    await editing.get_by_label("Characteristic").select_option("On")
    await expect(editing.locator("output")).to_have_text("On")
    await editing.get_by_role("button", name="Add action").click()
    await expect(editing.get_by_role("listitem")).to_have_text(["Lamp/On: onRemove"])
    await editing.get_by_label("Characteristic").select_option("Brightness")
    await editing.get_by_role("button", name="Add action").click()
    await expect(editing.get_by_role("listitem")).to_have_count(2)
    await editing.get_by_role("button", name="Remove the action of Lamp/Brightness").click()
    await expect(editing.get_by_role("listitem")).to_have_count(1)
    await editing.get_by_role("button", name="Close").click()

    await flat.well("set", "Lamp/On", "off")
    await scene(page, "hi house").get_by_role("button", name="hi house", exact=True).click()
    await expect(scene(page, "hi house").get_by_role("status")).to_have_text("✓ Done: 1 action")
    await expect(scene(page, "hi house")).to_contain_text(re.compile("Last executed (today|yesterday)"))
    assert await flat.value("Lamp/On") is True

    await page.get_by_role("button", name="Edit hi house").click()
    await editing.get_by_role("button", name="Remove…").click()
    await page.get_by_role("dialog", name=re.compile("^Remove the scene hi house")).get_by_role("button", name="Remove", exact=True).click()
    await expect(scene(page, "hi house")).to_have_count(0)
    # A built-in scene stays.
    await page.get_by_role("button", name="Edit Good Night").click()
    await expect(dialog(page, "Edit Good Night").get_by_role("button", name="Remove…")).to_have_count(0)


async def test_a_scene_with_an_accessory_that_cannot_be_reached_says_which_action_failed(run, flat, open_page):
    lamp = await lonely_lamp(run, flat)
    await flat.well("scene", "add", "bright", "Lamp/On", "on", "Desk Lamp/On", "on")
    page = await open_page(flat.page)
    # The service has another name than the accessory.
    await expect(tile(page, "White Light")).to_contain_text("Desk Lamp · Off")
    assert await lamp.stop() == 0
    await expect(tile(page, "White Light")).to_contain_text("Cannot be reached")
    await expect(page.get_by_role("main")).to_contain_text("1 cannot be reached")
    await go(page, "Scenes")
    await scene(page, "bright").get_by_role("button", name="bright", exact=True).click()
    result = scene(page, "bright").get_by_role("status")
    await expect(result).to_contain_text("1 of 2 actions done")
    await expect(result.get_by_role("listitem")).to_contain_text("Desk Lamp/On: not sent")
    assert await flat.value("Lamp/On") is True


async def test_a_trigger_shows_its_next_time_and_why_and_is_fired(flat, open_page):
    time = distant_time()
    await flat.well("scene", "add", "hi house", "Lamp/On", "on")
    await flat.well("trigger", "add", "night", "--when", f"at {time}", "--if", "Hall Sensor/Motion Detected is true", "--run", "hi house")
    await flat.well("trigger", "add", "unlocked", "--when", "Front Door/Lock Current State is unsecured", "--run", "hi house")
    page = await open_page(flat.page)
    await go(page, "Triggers")
    night, unlocked = card(page, "night"), card(page, "unlocked")
    await expect(night).to_contain_text(re.compile(f"Next(today|tomorrow), {time}"))
    await expect(night).to_contain_text(f"at {time}")
    await expect(night).to_contain_text("Hall Sensor/Motion Detected is true")
    await expect(unlocked).to_contain_text("Last firednever")

    # Fired by hand, the condition counts.
    await night.get_by_text("Why?").click()
    await expect(night.get_by_role("listitem")).to_have_text(["It was not evaluated since the hub started."])
    await night.get_by_role("button", name="Fire now: night").click()
    await expect(night.locator("summary")).to_contain_text(re.compile("Condition false, (today|yesterday)"))
    await expect(night.get_by_role("listitem")).to_contain_text(["the condition is false"])
    assert await flat.value("Lamp/On") is False

    # An event of the accessory.
    await flat.simulator.command("set", accessory="Front Door", characteristic="Lock Current State", value="unsecured")
    await expect(unlocked.locator("summary")).to_contain_text(re.compile("Executed, (today|yesterday)"))
    await expect(unlocked).to_contain_text(re.compile("Last fired(today|yesterday)"))
    assert await flat.value("Lamp/On") is True
    await unlocked.get_by_text("Why?").click()
    await expect(unlocked.get_by_role("listitem").first).to_contain_text("Front Door/Lock Current State")

    await switch(page, "Enabled: unlocked").click()
    await expect(switch(page, "Enabled: unlocked")).to_have_attribute("aria-checked", "false")
    assert [entry["enabled"] for entry in (await flat.well("trigger", "list"))["triggers"] if entry["name"] == "unlocked"] == [False]
    await page.get_by_role("button", name="Edit night").click()
    await dialog(page, "Edit night").get_by_role("button", name="Remove…").click()
    await page.get_by_role("dialog", name="Remove the trigger night?").get_by_role("button", name="Remove", exact=True).click()
    await expect(night).to_have_count(0)
    await expect(unlocked).to_have_count(1)


async def test_a_home_without_triggers_shows_the_command_that_makes_one(flat, open_page):
    page = await open_page(flat.page)
    await go(page, "Triggers")
    command = page.get_by_role("main").locator("pre")
    await expect(command).to_be_visible()
    await expect(command).to_contain_text("hapctl home trigger add")
    # The hub accepts it as it is.
    _, _, *words = shlex.split(await command.inner_text())
    await flat.well(*words)
    await expect(card(page, "evening")).to_contain_text("sunset")
    await expect(command).to_be_hidden()


async def test_the_place_of_a_person_starts_a_trigger(flat, open_page):
    await flat.well("user", "add", "Ben", "--role", "guest")
    await flat.well("trigger", "add", "hello Ben", "--when", "ben arrives", "--run", "Lamp/On is on")
    page = await open_page(flat.page)
    await go(page, "People")
    ben = card(page, "Ben")
    await expect(ben).to_contain_text("Place unknown")
    await ben.get_by_text("Position").click()
    await page.get_by_label("Latitude of Ben").fill("48.1")
    await page.get_by_label("Longitude of Ben").fill("11.6")
    await page.get_by_role("button", name="Set the position of Ben").click()
    await expect(ben).to_contain_text("At 48.1, 11.6")
    assert await flat.value("Lamp/On") is False
    # Less than 100 m from the home.
    await page.get_by_label("Latitude of Ben").fill("52.5204")
    await page.get_by_label("Longitude of Ben").fill("13.4")
    await page.get_by_role("button", name="Set the position of Ben").click()
    await go(page, "Triggers")
    await expect(card(page, "hello Ben").locator("summary")).to_contain_text("Executed")
    assert await flat.value("Lamp/On") is True

    await go(page, "People")
    await page.get_by_role("button", name="Away: Ben").click()
    await expect(page.get_by_role("button", name="Away: Ben")).to_have_attribute("aria-pressed", "true")
    await expect(ben).to_contain_text("Away")
    # Another app reports the place of a person who starts no trigger.
    await flat.well("person", "Anna", "arrive")
    await expect(page.get_by_role("button", name="Home: Anna")).to_have_attribute("aria-pressed", "true")
    await page.get_by_label("Role of Ben").select_option("Administrator")
    # Not the option, which has the word from the start.
    await expect(ben.locator("header .fine")).to_have_text("Administrator")
    assert [user["role"] for user in (await flat.well("user", "list"))["users"] if user["name"] == "Ben"] == ["administrator"]


async def test_an_accessory_is_added_with_its_code_a_name_and_a_new_room(run, flat, open_page):
    page = await open_page(flat.page)
    adding = await begin(page)
    code = adding.get_by_label("Setup code or payload")
    await expect(code).to_be_focused()
    await expect(adding).to_contain_text("Searching for accessories")
    # No code at all.
    await code.fill("123")
    await page.keyboard.press("Enter")
    await expect(adding.get_by_role("alert").first).to_contain_text("code")
    await expect(code).to_be_focused()
    await code.fill("111-22-334")
    await page.keyboard.press("Enter")
    await expect(adding.get_by_role("heading", name="Which accessory?")).to_be_focused()
    # Back and forth; an accessory appears meanwhile.
    await adding.get_by_role("button", name="Back").click()
    await expect(code).to_be_focused()
    simulator = await run(PROFILES / "light-white.hasaccessory", options=("--setup-code", CODE))
    await expect(adding).to_contain_text("1 accessory can be added")
    await code.fill("111-22-334")
    await page.keyboard.press("Enter")
    candidate = adding.get_by_role("button", name=re.compile("^White Light"))
    await expect(candidate).to_be_focused()
    await expect(candidate).to_contain_text(simulator.accessory.device_id)
    await adding.get_by_role("button", name="Identify White Light").click()
    await simulator.wait(lambda line: line.get("event") == "identify")
    # A wrong code leads back to the code, with the same accessory.
    await candidate.click()
    await expect(adding.get_by_role("alert").first).to_contain_text("setup code is wrong")
    await expect(code).to_be_focused()
    await expect(code).to_have_value("111-22-334")
    await code.fill(CODE)
    await page.keyboard.press("Enter")
    await expect(adding.get_by_role("heading", name="Light Bulb of White Light")).to_be_visible()
    name = adding.get_by_label("Name", exact=True)
    await expect(name).to_be_focused()
    # A name that another object has.
    await name.fill("Lamp")
    await page.keyboard.press("Enter")
    await expect(adding.get_by_role("alert").first).to_contain_text("Lamp")
    await name.fill("Window Light")
    await adding.get_by_label("Room", exact=True).select_option("New room…")
    await expect(adding.get_by_label("Name of the new room")).to_be_focused()
    await adding.get_by_label("Name of the new room").fill("Bedroom")
    await page.keyboard.press("Enter")
    await expect(adding.get_by_role("heading", name="Window Light is added")).to_be_visible()
    await expect(adding.get_by_role("button", name="Done")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(adding).to_have_count(0)
    await expect(room(page, "Bedroom").get_by_role("link", name="Window Light, details")).to_be_visible()
    await switch(page, "Window Light").click()
    await wrote(simulator, "On", True)


async def test_no_command_can_be_used_before_the_home_is_loaded(flat, open_page):
    page = await open_page(flat.page)
    homes, home = Gate(), Gate()
    await page.route("**/v1/homes", homes)
    await page.route(HOME, home)
    await page.reload()
    for gate, view in [(homes, "Scenes"), (home, "People")]:
        await gate.nth(1)
        await drawn(page)
        await expect(page.get_by_role("button", name="Theme: system")).to_be_visible()
        # The theme is the only one, also in another view.
        await page.evaluate(f"location.hash = '#/{view.lower()}'")
        await drawn(page)
        await expect(page.get_by_role("banner").get_by_role("button")).to_have_count(1)
        await expect(page.get_by_role("navigation", name="Views").get_by_role("link")).to_have_count(0)
        await expect(page.get_by_role("main")).to_have_text("Loading…")
        gate.open()
    await expect(page.get_by_role("heading", name="People", level=2)).to_be_visible()
    await expect(page.get_by_role("banner").get_by_role("button")).to_have_count(3)
    await expect((await begin(page)).get_by_label("Setup code or payload")).to_be_focused()


async def test_a_cancellation_is_reported_once(flat, open_page):
    page = await open_page(flat.page)
    # The dialog closes only after the answer and the event about the cancellation.
    await page.evaluate("""() => {
      const close = HTMLDialogElement.prototype.close;
      HTMLDialogElement.prototype.close = function (value) { window.closeDialog = () => close.call(this, value); };
    }""")

    async def answer_before_the_event(route):
        request = route.request
        if request.method != "DELETE":
            return await route.fallback()
        await route.fulfill(json={"id": request.url.rsplit("/", 1)[1], "step": "cancelled", "candidates": []})
        await page.request.delete(request.url, headers=request.headers)

    await page.route("**/setups/*", answer_before_the_event)
    # A notice disappears after some seconds.
    await page.evaluate("""() => {
      window.notices = [];
      window.first = new Promise((done) => {
        new MutationObserver((changes) => {
          window.notices.push(...changes.flatMap(({ addedNodes }) => [...addedNodes].map((node) => node.textContent)));
          if (window.notices.length > 0) done();
        }).observe(document.getElementById("notices"), { childList: true });
      });
    }""")
    adding = await begin(page)
    await adding.get_by_role("button", name="Cancel").click()
    await page.evaluate("window.first")
    # Events arrive in order, so that of the cancellation has arrived before this one.
    lamp = page.locator(".tile", has_text="Lamp")
    await expect(lamp).to_contain_text("Off")
    await flat.well("set", "Lamp/On", "on")
    await expect(lamp).to_contain_text("On")
    assert await page.evaluate("window.notices") == ["Nothing was added."]
    await page.evaluate("closeDialog()")
    await expect(adding).to_have_count(0)


async def test_a_payload_shows_the_accessory_and_cancel_removes_it_again(run, flat, open_page):
    simulator = await run(PROFILES / "light-white.hasaccessory", options=("--setup-code", CODE))
    page = await open_page(flat.page)
    adding = await begin(page)
    await adding.get_by_role("button", name="Cancel").click()
    await expect(adding).to_have_count(0)
    await expect(page.get_by_text("Nothing was added.")).to_be_visible()

    adding = await begin(page)
    await adding.get_by_label("Setup code or payload").fill(simulator.accessory.setup_payload)
    await page.keyboard.press("Enter")
    await expect(adding.get_by_role("heading", name="Light Bulb of White Light")).to_be_visible()
    # The setup continues after the page was loaded again.
    await page.reload()
    await expect(adding.get_by_role("heading", name="Light Bulb of White Light")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.get_by_role("dialog", name="White Light is in the home already. Remove it again?").get_by_role("button", name="Remove", exact=True).click()
    await expect(adding).to_have_count(0)
    await simulator.wait(lambda line: line.get("event") == "unpaired")
    await expect(tile(page, "White Light")).to_have_count(0)
    assert "White Light" not in json.dumps((await flat.well("show"))["home"])


async def test_a_restart_of_the_hub_ends_a_setup_which_is_started_again(flat, open_page):
    page = await open_page(flat.page, refusals=True)
    adding = await begin(page)
    await adding.get_by_label("Setup code or payload").fill("031")
    assert await flat.hub.stop() == 0
    await page.keyboard.press("Enter")
    await expect(adding.get_by_role("alert").last).to_have_text("the hub does not answer")
    flat.hub = await flat.serve(flat.listens)
    await expect(adding.get_by_role("heading", name="The accessory was not added")).to_be_visible()
    await expect(adding.get_by_role("alert")).to_contain_text("The hub was restarted during the setup")
    await adding.get_by_role("button", name="Start again").click()
    await expect(adding.get_by_label("Setup code or payload")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(adding).to_have_count(0)


async def test_an_accessory_that_appears_before_the_answer_to_the_start_of_a_setup_is_shown(run, flat, open_page):
    page = await open_page(flat.page)
    starts = Gate(holds_answers=True)
    await page.route("**/v1/homes/setups", starts)
    await page.evaluate("""async () => {
      const { Store } = await import("/store.js");
      window.heard = new Promise((done) => {
        const tell = Store.prototype.tell;
        Store.prototype.tell = function (name, detail) {
          tell.call(this, name, detail);
          if (name === "setup" && detail.setup.candidates.length > 0) done();
        };
      });
    }""")
    await page.get_by_role("button", name="Add accessory").click()
    await starts.nth(1)
    await run(PROFILES / "light-white.hasaccessory", options=("--setup-code", CODE, "--name", "Late Lamp"))
    await page.evaluate("window.heard")
    starts.open()
    await expect(dialog(page, "Add an accessory")).to_contain_text("1 accessory can be added")


async def test_an_accessory_is_renamed_moved_and_removed(run, flat, open_page):
    lamp = await lonely_lamp(run, flat)
    page = await open_page(flat.page, refusals=True)
    await tile(page, "White Light").get_by_role("link").click()
    await page.get_by_role("button", name="Rename…").click()
    renaming = dialog(page, "Rename Desk Lamp")
    await renaming.get_by_label("Name", exact=True).fill("Reading Lamp")
    await renaming.get_by_label("Name of the Light Bulb").fill("Reading Light")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Reading Lamp", level=2)).to_be_visible()
    await expect(page.get_by_role("heading", name="Reading Light", level=3)).to_be_visible()
    await page.get_by_label("Room", exact=True).select_option("Hall")
    await expect(page.locator(".who")).to_contain_text("Hall")
    await page.get_by_role("link", name="‹ Rooms").click()
    await expect(room(page, "Hall").get_by_role("link", name="Reading Light, details")).to_be_focused()

    # An accessory that can't be reached is only removed if the hub shall forget it.
    await lamp.stop()
    await expect(tile(page, "Reading Light")).to_contain_text("Cannot be reached")
    await tile(page, "Reading Light").get_by_role("link").click()
    await expect(page.locator(".trouble")).to_contain_text("Cannot be reached")
    await page.get_by_role("button", name="Remove…").click()
    removing = dialog(page, "Remove Reading Lamp?")
    await removing.get_by_role("button", name="Remove", exact=True).click()
    await expect(removing.get_by_role("alert")).to_contain_text("reached")
    await removing.get_by_label("Forget it").check()
    await removing.get_by_role("button", name="Remove", exact=True).click()
    await expect(page.get_by_text("Reading Lamp is removed.")).to_be_visible()
    await expect(page.get_by_role("heading", name="Rooms", level=2)).to_be_visible()
    await expect(tile(page, "Reading Light")).to_have_count(0)


async def test_everything_is_operated_with_the_keyboard(run, flat, open_page):
    await flat.well("scene", "set", "Good Night", "Lamp/On", "off")
    simulator = await run(PROFILES / "light-white.hasaccessory", options=("--setup-code", CODE))
    page = await open_page(flat.page)
    # Tab passes over it as long as its value is unknown.
    await expect(switch(page, "Lamp")).to_be_enabled()

    async def to(role, name):
        """Presses Tab until the element has the focus."""
        wanted = page.get_by_role(role, name=name, exact=True)
        for _ in range(60):
            await page.keyboard.press("Tab")
            if await wanted.evaluate("(element) => element === document.activeElement"):
                return
        raise AssertionError(f"Tab does not reach {role} {name}")

    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the home")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("main")).to_be_focused()
    await to("switch", "Lamp")
    await page.keyboard.press("Space")
    await expect(switch(page, "Lamp")).to_have_attribute("aria-checked", "true")
    await expect(switch(page, "Lamp")).to_be_focused()

    await to("button", "Add accessory")
    await page.keyboard.press("Enter")
    adding = dialog(page, "Add an accessory")
    await expect(adding.get_by_label("Setup code or payload")).to_be_focused()
    await page.keyboard.type(CODE)
    await page.keyboard.press("Enter")
    # The first candidate has the focus, or the heading if none is there yet.
    await expect(adding.get_by_role("button", name=re.compile("^White Light"))).to_be_visible()
    if not await adding.get_by_role("button", name=re.compile("^White Light")).evaluate("(element) => element === document.activeElement"):
        await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(adding.get_by_label("Name", exact=True)).to_be_focused()
    await page.keyboard.type("Key Light")
    await page.keyboard.press("Enter")
    await expect(adding.get_by_role("button", name="Done")).to_be_focused()
    await page.keyboard.press("Space")
    await expect(page.get_by_role("button", name="Add accessory")).to_be_focused()
    assert simulator.accessory.device_id in json.dumps((await flat.well("show"))["home"])

    await to("link", "Scenes")
    await page.keyboard.press("Enter")
    await to("button", "Good Night")
    await page.keyboard.press("Enter")
    await expect(scene(page, "Good Night").get_by_role("status")).to_have_text("✓ Done: 1 action")
    await to("button", "Edit Good Night")
    await page.keyboard.press("Enter")
    await expect(dialog(page, "Edit Good Night").get_by_label("Name")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Edit Good Night")).to_be_focused()


async def test_each_view_fits_a_phone_and_every_element_has_a_name(flat, open_page):
    await flat.well("scene", "set", "Good Night", "Front Door/Lock Target State", "secured", "Lamp/On", "off")
    await flat.well("trigger", "add", "night", "--when", f"at {distant_time()}", "--if", "Hall Sensor/Motion Detected is true", "--run", "Good Night")
    await flat.well("user", "add", "Ben", "--role", "guest")
    page = await open_page(flat.page, viewport={"width": 390, "height": 844})

    async def check():
        assert await page.evaluate(NAMELESS) == []
        wide = "[document.documentElement, ...document.querySelectorAll('main, dialog')].map((part) => part.scrollWidth - part.clientWidth)"
        assert max(await page.evaluate(wide)) <= 0, page.url

    for view in VIEWS:
        await go(page, view)
        await check()
    await card(page, "Ben").get_by_text("Position").click()
    await check()
    await go(page, "Triggers")
    await page.get_by_text("Why?").click()
    await expect(card(page, "night").get_by_role("listitem")).to_be_visible()
    await check()
    await go(page, "Rooms")
    for name in ["Lamp", "Laptop Bridge"]:
        await page.get_by_role("link", name=f"{name}, details").click()
        await expect(page.get_by_role("heading", name=name, level=2)).to_be_visible()
        await check()
        await page.get_by_role("link", name="‹ ").first.click()
        await go(page, "Rooms")
    opened = [
        ("Rooms", "Edit the home"), ("Rooms", "Add a room…"), ("Rooms", "Edit Hall"), ("Rooms", "Add accessory"), ("Scenes", "Edit Good Night"),
        ("Triggers", "Edit night"), ("People", "Add a person…"), ("People", "Share with a hub…"), ("People", "Request a share…"),
        ("People", "Accept a share…"), ("People", "Link to the page for Ben"),
    ]  # fmt: skip
    for view, button in opened:
        await go(page, view)
        await page.get_by_role("button", name=button, exact=True).click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await check()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_the_page_is_dark_with_the_system_and_with_its_own_button(flat, open_page):
    page = await open_page(flat.page, color_scheme="dark")
    paper = page.locator("body")
    await expect(paper).to_have_css("background-color", "rgb(18, 19, 22)")
    await page.get_by_role("button", name="Theme: system").click()
    await expect(paper).to_have_css("background-color", "rgb(243, 242, 238)")
    await page.reload()
    await expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    await expect(paper).to_have_css("background-color", "rgb(243, 242, 238)")


EDITS = re.compile("^(Add|Edit|Rename|Remove|Share|Fire|Set the|Home:|Away:|Renew|Link)")


async def shows_no_edit(page):
    """Checks all views, and the details of the lamp."""
    for view in VIEWS:
        await go(page, view)
        # The homes of other hubs are no part of this home.
        found = page.get_by_role("main").get_by_role("button", name=EDITS)
        assert await found.count() == 0, (view, await found.all_inner_texts())
        assert await page.get_by_role("main").get_by_role("combobox").count() == 0
        assert await page.get_by_role("switch", name=re.compile("^Enabled")).count() == 0
    await expect(page.get_by_role("button", name="Add accessory")).to_have_count(0)
    await go(page, "Rooms")
    await tile(page, "Lamp").get_by_role("link").click()
    await expect(page.get_by_role("button", name="Identify")).to_be_visible()
    assert await page.get_by_role("main").get_by_role("button", name=EDITS).count() == 0
    await expect(page.get_by_label("Room", exact=True)).to_have_count(0)


async def test_a_home_is_shared_with_another_hub_which_shows_no_edit_command(flat, homes, open_page):
    await flat.well("scene", "set", "Good Night", "Lamp/On", "on")
    await flat.well("trigger", "add", "night", "--when", f"at {distant_time()}", "--run", "Good Night")
    other = homes("guest")
    await other.serve()
    page, guest = await open_page(flat.page), await open_page(other.page)
    await guest.get_by_role("button", name="Request a share…").click()
    await dialog(guest, "Request a share").get_by_label("Your name").fill("Ben")
    await guest.keyboard.press("Enter")
    request = await document(dialog(guest, "The request"))
    await dialog(guest, "The request").get_by_role("button", name="Close").last.click()
    await go(page, "People")
    await page.get_by_role("button", name="Share with a hub…").click()
    sharing = dialog(page, "Share with a hub")
    await sharing.get_by_label("Or its text").fill(request)
    await sharing.get_by_role("button", name="Share", exact=True).click()
    async with page.expect_download() as download:
        await dialog(page, "My Home for Ben").get_by_role("button", name="Save as a file").click()
    assert (await download.value).suggested_filename == "My Home.hashare"
    share = (await (await download.value).path()).read_text()
    await page.keyboard.press("Escape")
    await expect(card(page, "Ben")).to_contain_text("has an own hub")

    await guest.get_by_role("button", name="Accept a share…").click()
    await dialog(guest, "Accept a share").get_by_label("Or its text").fill(share)
    await dialog(guest, "Accept a share").get_by_role("button", name="Accept", exact=True).click()
    await expect(guest.get_by_role("heading", name="My Home", level=1)).to_be_visible()
    await expect(guest.get_by_text("This is the home of Anna.")).to_be_visible()
    await shows_no_edit(guest)
    # This hub is Ben's: it takes newer documents.
    await go(guest, "People")
    await expect(guest.get_by_role("button", name="Accept a share…")).to_be_visible()
    # The accessories are controlled directly, and both pages show it.
    await go(guest, "Scenes")
    await scene(guest, "Good Night").get_by_role("button", name="Good Night", exact=True).click()
    await expect(scene(guest, "Good Night").get_by_role("status")).to_have_text("✓ Done: 1 action")
    await go(page, "Rooms")
    await expect(switch(page, "Lamp")).to_have_attribute("aria-checked", "true")

    await go(page, "People")
    await page.get_by_role("button", name="Remove Ben").click()
    await page.get_by_role("dialog", name=re.compile("^Remove Ben from the home")).get_by_role("button", name="Remove", exact=True).click()
    await expect(card(page, "Ben")).to_have_count(0)


async def test_a_person_opens_the_page_with_a_link_of_an_own(flat, open_page):
    await flat.well("user", "add", "Ben", "--role", "guest")
    await flat.well("user", "add", "Carla", "--role", "administrator")
    page = await open_page(flat.page)
    await go(page, "People")
    await page.get_by_role("button", name="Link to the page for Ben").click()
    link = dialog(page, "The page for Ben").get_by_label("Link")
    address = await link.input_value()
    assert address == flat.page_with(await flat.token("Ben")).said[0]["control"]
    guest = await open_page(flat.page_with(await flat.token("Ben")), refusals=True)
    await expect(guest.get_by_text("You are a guest")).to_be_visible()
    await shows_no_edit(guest)
    await go(guest, "People")
    await expect(guest.get_by_role("button", name="Request a share…")).to_have_count(0)
    await go(guest, "Rooms")
    await switch(guest, "Lamp").click()
    await expect(switch(guest, "Lamp")).to_have_attribute("aria-checked", "true")
    # The old link is not valid any more.
    await dialog(page, "The page for Ben").get_by_role("button", name="Renew").click()
    await expect(link).not_to_have_value(address)
    await guest.reload()
    await expect(dialog(guest, "The hub requires a token").get_by_role("alert")).to_contain_text("the hub did not accept this token")

    editor = await open_page(flat.page_with(await flat.token("Carla")))
    await expect(editor.get_by_text("You are an administrator")).to_be_visible()
    await expect(editor.get_by_role("button", name="Edit Hall")).to_be_visible()
    await go(editor, "People")
    await expect(card(editor, "Ben")).to_be_visible()
    await expect(editor.get_by_role("button", name="Add a person…")).to_have_count(0)
    await expect(editor.get_by_label("Role of Ben")).to_have_count(0)


async def test_a_lost_connection_is_reported_and_found_again(flat, open_page):
    page = await open_page(flat.page, refusals=True)
    await expect(tile(page, "Lamp")).to_be_visible()
    assert await flat.hub.stop() == 0
    await expect(page.get_by_text("The connection to the hub is lost.")).to_be_visible()
    assert await switch(page, "Lamp").evaluate("(element) => element.closest('[inert]') !== null")
    flat.hub = await flat.serve(flat.listens)
    await expect(page.get_by_text("The connection is back")).to_be_visible()
    await flat.well("room", "add", "Attic")
    await expect(room(page, "Attic")).to_be_visible()


async def test_without_a_token_the_page_asks_for_it(flat, open_page):
    page = await open_page(flat.page, fragment="#/scenes", refusals=True)
    asking = dialog(page, "The hub requires a token")
    await expect(asking.get_by_label("Token")).to_be_focused()
    await page.keyboard.type("wrong")
    await page.keyboard.press("Enter")
    await expect(asking.get_by_role("alert")).to_contain_text("the hub did not accept this token")
    await page.keyboard.type(flat.address.partition("#token=")[2])
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Scenes", level=2)).to_be_visible()


async def test_a_second_home_is_chosen_and_gets_the_accessory(run, flat, open_page):
    await flat.well("new", "Cabin", "--zone", ZONE)
    simulator = await run(PROFILES / "light-white.hasaccessory", options=("--setup-code", CODE))
    page = await open_page(flat.page)
    await expect(page.get_by_role("combobox", name="Home")).to_have_value(re.compile("."))
    await expect(tile(page, "Lamp")).to_be_visible()
    adding = await begin(page)
    await expect(adding.get_by_role("button", name="My Home")).to_be_focused()
    await adding.get_by_role("button", name="Cabin").click()
    await adding.get_by_label("Setup code or payload").fill(simulator.accessory.setup_payload)
    await page.keyboard.press("Enter")
    await expect(adding.get_by_label("Name", exact=True)).to_be_focused()
    await page.keyboard.press("Enter")
    await adding.get_by_role("button", name="Done").click()
    # The page shows the home with the new accessory.
    await expect(page.get_by_role("combobox", name="Home").locator("option:checked")).to_have_text("Cabin")
    await expect(tile(page, "White Light")).to_be_visible()
    await expect(tile(page, "Lamp")).to_have_count(0)
    await page.get_by_role("combobox", name="Home").select_option("My Home")
    await expect(tile(page, "Lamp")).to_be_visible()


async def test_texts_of_accessories_are_shown_as_text(run, flat, open_page):
    simulator = await run(PROFILES / "light-white.hasaccessory", options=("--setup-code", CODE, "--name", "<img src=x>"))
    page = await open_page(flat.page)
    adding = await begin(page)
    await expect(adding).to_contain_text("1 accessory can be added")
    await adding.get_by_label("Setup code or payload").fill(CODE)
    await page.keyboard.press("Enter")
    await adding.get_by_role("button", name=simulator.accessory.device_id).click()
    await expect(adding.get_by_role("heading", name="Light Bulb of <img src=x>")).to_be_visible()
    assert await page.locator("img[src=x]").count() == 0
