"""The control page in a browser: what it shows, what a user can do, and that it shows the changes by controllers.

The page must not fail meanwhile: each message on its console fails the test, except messages about answers that a test expects.

On real sockets because a browser is a third party.
"""

import asyncio
import json
import re

import pytest
from playwright.async_api import expect

from page_browser import Gate, browser, drawn, log, of_api, open_page, switch, tab  # noqa: F401 (fixtures)
from phone import characteristic
from process import PROFILES

GARAGE = PROFILES / "garage-door.hasaccessory"
BRIDGE = PROFILES / "bridge-two-lights.hasaccessory"


async def choose(page, name):
    await page.get_by_role("navigation", name="Accessories").get_by_role("link", name=re.compile(f"^{name}")).click()
    await expect(page.get_by_role("main").get_by_role("heading", name=name, exact=True, level=2)).to_be_visible()


async def door(page, word):
    await page.get_by_role("radiogroup", name="Target Door State").get_by_role("radio", name=word, exact=True).check()


async def shown_code(page):
    return await page.locator("[data-code]").get_attribute("data-code")


class Added:
    """The data that a controller needs of an accessory that was added to a running process."""

    def __init__(self, device_id):
        self.device_id = device_id


async def device_id(page):
    found = await page.locator("dl.facts").inner_text()
    return re.search(r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}", found).group()


async def test_a_bridge_of_two_lights_is_added_paired_with_the_shown_code_and_switched_by_page_and_controller(run, open_page, phone):
    simulator = await run(GARAGE)
    page = await open_page(simulator)
    await page.get_by_role("button", name="Add accessory").click()
    dialog = page.get_by_role("dialog", name="Add an accessory")
    await dialog.get_by_label("Name", exact=True).fill("Hall")
    await dialog.get_by_label("Device", exact=True).select_option("LightBulb")
    await dialog.get_by_role("button", name="Add device").click()
    await dialog.get_by_label("Number of Light Bulb").fill("2")
    await dialog.get_by_text("Optional characteristics").click()
    await dialog.get_by_label("Brightness").check()
    await dialog.get_by_label("Use a bridge").check()
    await dialog.get_by_role("button", name="Serve").click()
    await expect(page.get_by_role("heading", name="Hall", level=2)).to_be_visible()
    await expect(page.get_by_text("2 accessories behind the bridge")).to_be_visible()

    home = await phone.pair(Added(await device_id(page)), await shown_code(page))
    accessories = await home.accessories()
    on = characteristic(accessories, "ON", aid=2)
    await home.subscribe(on)
    # Both lights have the name of their service, so each is found by its number.
    one, other = switch(page, "Light Bulb 1"), switch(page, "Light Bulb 2")
    await expect(one).to_have_attribute("aria-checked", "false")
    await one.click()
    await home.events.wait(on, True)
    await expect(one).to_have_attribute("aria-checked", "true")
    await home.put((*on, False))
    await expect(one).to_have_attribute("aria-checked", "false")
    await home.put((*characteristic(accessories, "ON", aid=3), True))
    await expect(other).to_have_attribute("aria-checked", "true")
    await expect(one).to_have_attribute("aria-checked", "false")

    brightness = characteristic(accessories, "BRIGHTNESS", aid=2)
    await page.get_by_role("link", name="Light Bulb 1, details").click()
    slider = page.get_by_role("slider", name="Brightness", exact=True)
    await expect(slider).to_have_value("100")
    await home.put((*brightness, 40))
    await expect(slider).to_have_value("40")
    await expect(page.locator(".glance")).to_have_text("Off")
    await page.get_by_label("Brightness, as a number").fill("55")
    await page.keyboard.press("Enter")
    await expect(slider).to_have_value("55")
    await simulator.wait(lambda line: line.get("event") == "changed" and line.get("value") == 55)
    assert await home.value(brightness) == 55


async def test_the_garage_door_stops_at_an_obstacle(run, open_page, phone):
    simulator = await run(GARAGE, options=("--virtual-time",))
    page = await open_page(simulator)
    home = await phone.pair(simulator.accessory)
    target = characteristic(await home.accessories(), "DOOR_STATE_TARGET")
    glance = page.locator(".glance")
    await expect(glance).to_contain_text("Closed")

    async def advance(time):
        await page.get_by_label("Advance by").fill(time)
        await page.get_by_role("button", name="Advance").click()

    await home.put((*target, 0))
    await expect(glance).to_contain_text("Opening")
    # Simulated time is frozen, and the browser requests reduced motion: the door is drawn half open.
    leaf = page.locator(".scene .p-garage-door")
    await expect(leaf).to_have_css("transform", "matrix(1, 0, 0, 1, 0, -21)")
    await advance("10s")
    await expect(glance).to_contain_text("Open ")
    await door(page, "Closed")
    await expect(glance).to_contain_text("Closing")
    assert await home.value(target) == 1
    await advance("3s")
    obstacle = page.get_by_role("group", name="At the device: Garage Door").get_by_role("switch", name="Obstructed")
    await obstacle.click()
    await expect(obstacle).to_have_attribute("aria-checked", "true")
    await expect(glance).to_contain_text(re.compile("Stopped|Opening"))
    await expect(page.locator(".scene .p-obstacle")).to_be_visible()
    await obstacle.click()
    await expect(page.locator(".scene .p-obstacle")).to_be_hidden()


async def test_a_fault_is_switched_on_with_a_parameter_and_off(run, open_page):
    simulator = await run(GARAGE)
    page = await open_page(simulator, refusals=True)
    await tab(page, "Faults")
    panel = page.get_by_role("region", name="Faults")
    await panel.get_by_label("Find a fault").fill("delay")
    row = panel.locator(".fault", has_text="Delay message")
    await row.get_by_text("Parameters", exact=True).click()
    await row.get_by_label("Message", exact=True).select_option("write")
    await row.get_by_label("By", exact=True).fill("soon")
    await row.get_by_role("switch", name="Delay message").click()
    await expect(row.get_by_role("alert")).to_contain_text("duration")
    await row.get_by_label("By", exact=True).fill("2s")
    await row.get_by_role("switch", name="Delay message").click()
    line = await simulator.wait(lambda line: line.get("event") == "fault")
    assert line["fault"] == "delay-message" and line["on"] and "by=2s" in line["text"] and "message=write" in line["text"]
    await expect(row.get_by_role("switch")).to_have_attribute("aria-checked", "true")
    await expect(panel.get_by_text("On: delay-message")).to_be_visible()
    await expect(page.get_by_role("navigation").get_by_text("1 fault")).to_be_visible()
    await row.get_by_role("switch").click()
    await expect(panel.get_by_text("No fault is on")).to_be_visible()


async def test_a_custom_characteristic_is_added_while_a_controller_is_connected_and_exported(run, open_page, phone):
    simulator = await run(GARAGE)
    page = await open_page(simulator)
    home = await phone.pair(simulator.accessory)
    before = await home.accessories()
    target = characteristic(before, "DOOR_STATE_TARGET")
    await home.subscribe(target)
    await tab(page, "Profile")
    await page.get_by_role("button", name="Add a characteristic…").click()
    dialog = page.get_by_role("dialog", name="Add a characteristic")
    await dialog.get_by_label("Description").fill("Fade Rate")
    uuid = await dialog.get_by_label("UUID").input_value()
    await dialog.get_by_label("Maximum").fill("10")
    await dialog.get_by_role("button", name="Add characteristic").click()
    await expect(dialog).to_have_count(0)
    await expect(page.locator("dl.facts")).to_contain_text("c#\n2", use_inner_text=True)
    own = characteristic(await home.accessories(), uuid)
    ids = {(a["aid"], c["iid"]) for a in before for s in a["services"] for c in s["characteristics"]}
    after = {(a["aid"], c["iid"]) for a in await home.accessories() for s in a["services"] for c in s["characteristics"]}
    assert after - ids == {own} and ids < after
    assert not [line for line in simulator.said if line.get("event") == "disconnected" and "verified" in str(line)]

    await tab(page, "Services")
    await page.get_by_role("slider", name="Fade Rate", exact=True).focus()
    await page.keyboard.press("ArrowRight")
    await expect(page.get_by_label("Fade Rate, as a number")).to_have_value("1")
    await simulator.wait(lambda line: line.get("event") == "changed" and line.get("name") == "Fade Rate")
    assert await home.value(own) == 1
    # The session and its subscription continue.
    await door(page, "Open")
    await home.events.wait(target, 0)

    async with page.expect_download() as download:
        await page.get_by_role("button", name="Export").first.click()
    saved = await (await download.value).path()
    assert (await download.value).suggested_filename == "garage-door.hasaccessory"
    written = json.loads(saved.read_text())
    assert written["services"][0]["characteristics"][-1] == {
        "type": uuid, "description": "Fade Rate", "format": "uint8", "perms": ["pr", "pw", "ev"],
        "minValue": 0, "maxValue": 10, "minStep": 1, "value": 0,
    }


async def test_controllers_are_listed_with_their_subscriptions_and_pairings_are_reset(run, open_page, phone):
    simulator = await run(GARAGE)
    page = await open_page(simulator)
    home = await phone.pair(simulator.accessory)
    target = characteristic(await home.accessories(), "DOOR_STATE_TARGET")
    await tab(page, "Controllers")
    await expect(page.get_by_role("region", name="Pairings").get_by_text(home.identifier)).to_be_visible()
    await home.subscribe(target)
    connections = page.get_by_role("region", name="Connections")
    await connections.get_by_text("subscribed to 1 characteristic").click()
    await expect(connections.get_by_text(f"Controller {home.identifier[:4].upper()}")).to_be_visible()
    await expect(connections.get_by_text(f"Target Door State ({target[0]}.{target[1]})")).to_be_visible()
    await page.get_by_role("button", name="Reset pairings").click()
    await page.get_by_role("dialog").get_by_role("button", name="Reset pairings").click()
    await expect(page.get_by_text("Not paired. Pair with the setup code above.")).to_be_visible()
    await simulator.wait(lambda line: line.get("event") == "unpaired")
    # Its session ended with the pairing. New connections of this controller have no pairing.
    await expect(connections.get_by_text(f"Controller {home.identifier[:4].upper()}")).to_have_count(0)
    await expect(connections.get_by_text("subscribed to")).to_have_count(0)


async def test_an_invalid_profile_is_refused_with_its_line_and_changes_nothing(run, open_page):
    simulator = await run(GARAGE)
    page = await open_page(simulator, "#/1/profile", refusals=True)
    area = page.get_by_label("The profile as JSON")
    await expect(area).to_have_value(re.compile("GarageDoorOpener"))
    text = await area.input_value()
    await area.fill(text.replace('"GarageDoorOpener"', '"GarageDoorOpner"'))
    await page.get_by_role("button", name="Serve this profile").click()
    problem = page.get_by_role("alert").filter(has_text="GarageDoorOpener")
    await expect(problem).to_be_visible()
    await problem.get_by_role("button", name=re.compile("^line ")).first.click()
    at = await area.evaluate("(area) => area.value.slice(area.selectionStart).split('\\n')[0]")
    assert at.startswith('"GarageDoorOpner"')
    await page.get_by_role("button", name="Revert").click()
    await expect(area).to_have_value(text)


async def test_a_value_that_breaks_a_rule_is_refused_with_the_rule(run, open_page):
    simulator = await run(PROFILES / "kitchen-sink.hasaccessory")
    page = await open_page(simulator, refusals=True)
    await page.get_by_label("A uint8", exact=True).fill("300")
    await page.keyboard.press("Enter")
    await expect(page.locator("[data-address]", has_text="A uint8").get_by_role("alert").first).to_contain_text("uint8 holds 0...255")


async def test_each_refused_request_is_in_the_log_with_its_reason(run, open_page):
    simulator = await run(GARAGE)
    page = await open_page(simulator)
    await expect(page.locator("#scene")).to_be_visible()
    reader, writer = await asyncio.open_connection("127.0.0.1", simulator.accessory.port)
    writer.write(b"GET /accessories HTTP/1.1\r\nHost: x\r\n\r\n")
    assert b"470" in await reader.readline()
    writer.close()
    line = await simulator.wait(lambda line: line.get("event") == "refused")
    row = page.get_by_role("region", name="Log").locator(".log-row.refused").first
    await expect(row).to_contain_text(line["reason"])
    await expect(row).to_contain_text("GET /accessories")


async def test_an_open_page_reconnects_after_a_restart_of_the_process_and_reports_it(run, open_page, tmp_path):
    first = await run(GARAGE, state=tmp_path)
    page = await open_page(first, refusals=True)
    await expect(page.locator(".glance")).to_contain_text("Closed")
    code = await shown_code(page)
    address = first.said[0]["control"]
    said = page.locator("#connection")
    # A live region must exist before its text changes. Otherwise a screen reader may not read it.
    assert await said.evaluate("(said) => getComputedStyle(said).display") != "none"
    await first.stop()
    await expect(said).to_contain_text("connection to hapsim is lost")
    again = await run(
        GARAGE, BRIDGE, state=tmp_path, options=("--control", address.removeprefix("http://").removesuffix("/"))
    )
    await expect(said).to_contain_text("connection is back")
    await expect(page.get_by_role("navigation").get_by_text("Light Bridge")).to_be_visible()
    assert await shown_code(page) == code
    await door(page, "Open")
    await again.wait(lambda line: line.get("event") == "changed" and line.get("name") == "Target Door State")


async def test_the_token_is_typed_or_comes_with_the_address(run, open_page):
    simulator = await run(GARAGE, options=("--control-token", "a-secret-of-sorts"))
    page = await open_page(simulator)
    await expect(page.locator(".glance")).to_contain_text("Closed")
    assert "secret" not in page.url
    await expect(page.locator("img.qr")).to_have_js_property("naturalWidth", 150)
    other = await open_page(simulator, "", refusals=True)
    dialog = other.get_by_role("dialog", name="This hapsim requires a token")
    await dialog.get_by_label("Token").fill("a-secret-of-sorts")
    await dialog.get_by_role("button", name="Continue").click()
    await expect(other.locator(".glance")).to_contain_text("Closed")


async def test_all_functions_are_available_with_the_keyboard(run, open_page):
    simulator = await run(BRIDGE)
    page = await open_page(simulator)
    await expect(page.get_by_text("2 accessories behind the bridge")).to_be_visible()
    await page.keyboard.press("Tab")
    await expect(page.locator("#skip")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("#main")).to_be_focused()
    await page.get_by_role("tab", name="Accessories").focus()
    await page.keyboard.press("ArrowRight")
    await expect(page.get_by_role("tab", name="Controllers")).to_be_focused()
    await expect(page.get_by_text("No controller is connected.")).to_be_visible()
    await page.keyboard.press("Home")

    async def go_to(target):
        for _ in range(40):
            if await target.evaluate("(element) => element === document.activeElement"):
                return
            await page.keyboard.press("Tab")
        raise AssertionError("the Tab key does not reach the control")

    lamp = switch(page, "Desk Lamp")
    await go_to(lamp)
    await page.keyboard.press("Space")
    await expect(lamp).to_have_attribute("aria-checked", "true")
    await go_to(page.get_by_role("link", name="Floor Lamp, details"))
    await page.keyboard.press("Enter")
    slider = page.get_by_role("slider", name="Brightness", exact=True)
    await expect(slider).to_be_visible()
    await page.locator("#skip").focus()
    await page.keyboard.press("Enter")
    await go_to(slider)
    await page.keyboard.press("ArrowLeft")
    await expect(slider).to_have_value("99")
    await expect(page.get_by_label("Brightness, as a number")).to_have_value("99")


# JavaScript that returns the visible controls without a name for screen readers.
NAMELESS = """() => [...document.querySelectorAll("button, input, select, textarea, a, img, summary, [role]")]
  .filter((element) => element.checkVisibility() && !element.closest("[aria-hidden=true]"))
  .filter((element) => {
    const labels = [...(element.labels ?? [])].map((label) => label.textContent).join("");
    const by = (element.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("");
    const name = element.getAttribute("aria-label") || by.trim() || labels.trim() || element.alt
      || (element.matches("button, a, summary, [role=tab], [role=switch]") ? element.textContent.trim() : "");
    return !name && !element.matches("[role=status], [role=alert], img[alt='']");
  }).map((element) => element.outerHTML.slice(0, 160))"""

POOR = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const numbers = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (color) => {
    const [r, g, b] = numbers(color).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const color = getComputedStyle(element).backgroundColor;
      if (numbers(color)[3] === 255) return color;
    }
    return "white";
  };
  const poor = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("svg, option, .unseen, noscript, :disabled")) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((one, other) => other - one);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) poor.add(`${element.tagName}.${element.className} "${walker.currentNode.data.slice(0, 20)}": ${contrast.toFixed(2)}`);
  }
  return [...poor];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_control_has_a_name_every_text_has_contrast_and_nothing_overflows(run, open_page, scheme):
    names = ["garage-door", "light-colour", "kitchen-sink", "button-panel", "bridge-mixed", "sensor-multi-battery"]
    simulator = await run(*[PROFILES / f"{name}.hasaccessory" for name in names])
    page = await open_page(simulator, color_scheme=scheme)
    for number, name in enumerate(names, 1):
        await page.evaluate(f"location.hash = '#/{number}'")
        await expect(page.get_by_role("navigation", name="Accessories").locator("[aria-current]")).to_have_attribute("href", f"#/{number}")
        await expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_text(simulator.accessories[number - 1].name)
        for panel in ("Controllers", "Faults", "Profile", None) if number == 1 else (None,):
            if panel:
                await tab(page, panel)
            assert await page.evaluate(NAMELESS) == [], (name, panel)
            assert await page.evaluate(POOR) == [], (name, panel)
        for width in (1440, 1000, 390):
            await page.set_viewport_size({"width": width, "height": 900})
            over = await page.evaluate(
                "[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() && !e.closest('svg, .tabs')"
                " && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 120))"
            )
            assert over == [] and await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, width)
        # On a narrow screen the parts appear in the order of the Tab key.
        tops = await page.evaluate("[...document.querySelectorAll('#list, #main, #log, #time')].map((part) => part.getBoundingClientRect().top)")
        assert tops == sorted(tops) and len(tops) == 4


async def test_light_and_dark_follow_the_system_and_the_switch(run, open_page):
    def paper(page):
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    simulator = await run(GARAGE)
    page = await open_page(simulator, color_scheme="dark")
    dark = await paper(page)
    await page.get_by_role("button", name="Theme: system").click()
    light = await paper(page)
    assert light != dark
    await page.get_by_role("button", name="Theme: light").click()
    assert await paper(page) == dark


async def test_the_name_of_an_accessory_is_shown_as_text(run, open_page, tmp_path):
    name = "<img src=x onerror=alert(1)>"
    profile = tmp_path / "hostile.hasaccessory"
    profile.write_text(json.dumps({"format": "hasaccessory/1", "name": name, "services": [{"type": "Switch", "name": "<script>alert(1)</script>"}]}))
    page = await open_page(await run(profile))
    await expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_text(name)
    await expect(page.get_by_role("heading", name="<script>alert(1)</script>")).to_be_visible()
    assert await page.locator("main img:not(.qr), main script").count() == 0


async def test_a_scenario_is_played_and_an_error_is_reported_with_its_line(run, open_page):
    simulator = await run(GARAGE)
    page = await open_page(simulator, refusals=True)
    await page.get_by_role("button", name="Play…").click()
    dialog = page.get_by_role("dialog", name="Play a scenario")
    await dialog.get_by_label("Or its text (YAML)").fill("steps:\n- prss: {}\n")
    await dialog.get_by_role("button", name="Play", exact=True).click()
    await expect(dialog.get_by_role("alert")).to_contain_text("line 2")
    await dialog.get_by_label("Or its text (YAML)").fill(
        "scenario: Coming home\nsteps:\n- set: { characteristic: TargetDoorState, value: open }\n- note: the car is in\n"
    )
    await dialog.get_by_role("button", name="Play", exact=True).click()
    await expect(page.locator(".glance")).to_contain_text("Opening")
    await expect(page.get_by_role("region", name="Scenario")).to_contain_text("“Coming home” passed")
    await expect(page.get_by_role("region", name="Log")).to_contain_text("the car is in")


async def refused_request(simulator, port, path="/accessories"):
    """Sends a request that needs a session, and returns its `refused` event."""
    since = len(simulator.said)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert b"470" in await reader.readline()
    writer.close()
    return await simulator.wait(lambda line: line.get("event") == "refused", since=since)


async def changes(simulator, how_many, **which):
    """Changes a value at the device this number of times."""
    since = len(simulator.said)
    for number in range(how_many):
        await simulator.send(json.dumps({"id": f"c{number}", "command": "set", "value": number % 2 == 0, **which}))
    await simulator.wait(lambda line: line.get("id") == f"c{how_many - 1}", since=since)


async def test_states_that_are_no_values_are_switched_and_shown(run, open_page):
    simulator = await run(BRIDGE)
    page = await open_page(simulator)
    announced = switch(page, "Announced")
    for wanted in ("false", "true"):
        await announced.click()
        await expect(announced).to_have_attribute("aria-checked", wanted)
        assert (await of_api(simulator, "GET", "/accessories/1"))["announced"] == (wanted == "true")
    tile = page.locator(".tile[data-aid='2']")
    details = tile.get_by_role("link")
    await expect(details).to_have_accessible_description("Off")
    await of_api(simulator, "PATCH", "/accessories/1/bridged/2", {"online": False})
    await expect(details).to_have_accessible_description("Offline")
    await of_api(simulator, "PATCH", "/accessories/1/bridged/2", {"online": True})
    await expect(details).to_have_accessible_description("Off")

    # The focus moves to the details and back.
    await details.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("main").get_by_role("heading", name="Desk Lamp", level=2)).to_be_focused()
    await page.get_by_role("link", name="‹ Light Bridge").press("Enter")
    await expect(details).to_be_focused()
    # A clock that changes every second must not be announced as a status.
    assert await page.get_by_role("region", name="Clock").locator("output, [role=status]").count() == 0


async def test_a_late_answer_does_not_change_the_selected_accessory_and_a_new_accessory_is_shown(run, open_page):
    simulator = await run(GARAGE, BRIDGE)
    page = await open_page(simulator, "#/1", refusals=True)
    await expect(page.locator(".glance")).to_contain_text("Closed")
    gate = Gate()
    await page.route(re.compile("/v1/accessories/2$"), gate)
    links = page.get_by_role("navigation", name="Accessories").get_by_role("listitem").get_by_role("link")
    await links.nth(1).click()
    await gate.nth(1)
    await of_api(simulator, "PUT", "/accessories/1/characteristics/TargetDoorState", {"value": "open"})
    await simulator.wait(lambda line: line.get("event") == "changed" and line.get("name") == "Current Door State")
    await links.nth(0).click()
    await expect(page.locator(".glance")).to_contain_text("Opening")
    async with page.expect_response(re.compile("/v1/accessories/2$")) as response:
        gate.open()
    await (await response.value).finished()
    await drawn(page)
    await expect(page.get_by_role("main").get_by_role("heading", level=2)).to_have_text("Garage Door")

    # No accessory has this number yet. The next accessory gets it.
    await page.evaluate("location.hash = '#/3'")
    await expect(page.get_by_role("heading", name="Accessory not found")).to_be_visible()
    odd = [{"type": "TargetHeaterCoolerState", "valid-values": [5, 6], "maxValue": 9, "value": 5}]
    far = [{"type": "LockTargetState", "maxValue": 9, "value": 7}]
    services = [{"type": "LockMechanism", "characteristics": far}, {"type": "HeaterCooler", "characteristics": odd}]
    await of_api(simulator, "POST", "/accessories", {"format": "hasaccessory/1", "name": "Late", "services": services})
    await expect(page.get_by_role("main").get_by_role("heading", name="Late", level=2)).to_be_visible()
    # Values without a name are shown and can be set.
    await expect(page.locator("[data-type='1E']")).to_contain_text("It is 7")
    modes = page.get_by_role("radiogroup", name="Target Heater Cooler State")
    await expect(modes.get_by_role("radio", name="5")).to_be_checked()
    await modes.get_by_role("radio", name="6").check()
    await simulator.wait(lambda line: line.get("event") == "changed" and line.get("value") == 6)


async def test_refusals_stay_in_the_log_and_rows_link_to_their_characteristics(run, open_page):
    simulator = await run(BRIDGE)
    page = await open_page(simulator)
    await expect(page.locator(".tile[data-aid='2']")).to_be_visible()
    refused = await refused_request(simulator, simulator.accessory.port)
    rows = log(page).locator(".log-row")
    await expect(rows.filter(has_text=refused["reason"])).to_have_count(1)
    # Without animation frames, as in a hidden window, the number of waiting rows is limited.
    await page.evaluate("""() => {
      window.frame = window.requestAnimationFrame;
      window.requestAnimationFrame = () => 0;
      window.added = 0;
      new MutationObserver((records) => { for (const record of records) window.added += record.addedNodes.length; })
        .observe(document.querySelector(".log-rows"), { childList: true });
    }""")
    # Wait for a frame that was requested before, because it would show the next events.
    await page.evaluate("() => new Promise((done) => window.frame(done))")
    await changes(simulator, 700, accessory="2", characteristic="On")
    last = await refused_request(simulator, simulator.accessory.port, "/characteristics?id=1.1")
    await of_api(simulator, "PUT", "/accessories/1/characteristics/3.9", {"value": True})
    await expect(page.locator(".tile[data-aid='3'] [role=switch]")).to_have_attribute("aria-checked", "false")
    await page.evaluate("""() => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    await expect(page.locator(".tile[data-aid='3'] [role=switch]")).to_have_attribute("aria-checked", "true")
    await expect(rows.filter(has_text=last["request"])).to_have_count(1)
    refusals = log(page).locator(".log-row.refused")
    await expect(refusals).to_have_count(2)
    assert await page.evaluate("window.added") < 400
    await page.evaluate("""() => {
      window.requestAnimationFrame = window.frame;
      delete document.hidden;
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    # Filters create the rows again.
    await log(page).get_by_label("Values").uncheck()
    await expect(refusals).to_have_count(2)
    assert await rows.count() < 20
    await log(page).get_by_label("Values").check()
    await expect(refusals).to_have_count(2)
    async with page.expect_download() as download:
        await log(page).get_by_role("button", name="Save").click()
    saved = (await (await download.value).path()).read_text()
    assert (await download.value).suggested_filename == "hapsim-log.txt"
    assert saved.count(refused["reason"]) >= 2 and len(saved.splitlines()) == await rows.count()

    # With the keyboard: through the rows, and to the characteristic.
    await log(page).get_by_role("list").focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("main").get_by_role("heading", name="Floor Lamp", level=2)).to_be_visible()
    await expect(page.locator("[data-address='3.9']")).to_be_focused()
    assert page.url.endswith("#/1/3")


async def test_a_page_that_is_hidden_for_30_s_closes_its_connection_and_reconnects_when_shown(run, open_page):
    simulator = await run(GARAGE)
    page = await open_page(simulator, refusals=True)
    await page.add_init_script("""
      const later = window.setTimeout;
      window.setTimeout = (job, time, ...rest) => later(job, time === 30000 ? 0 : time, ...rest);
    """)
    await page.reload()
    await expect(page.locator(".glance")).to_contain_text("Closed")
    show = """(isHidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    async with page.expect_event("requestfailed", lambda request: "/v1/events" in request.url):
        await page.evaluate(show, True)
    await of_api(simulator, "PUT", "/accessories/1/characteristics/TargetDoorState", {"value": "open"})
    async with page.expect_response(re.compile("/v1/events")):
        await page.evaluate(show, False)
    await expect(page.locator(".glance")).to_contain_text("Opening")
    await expect(page.locator("#connection")).to_be_empty()


async def test_typed_text_is_not_overwritten_and_common_forms_of_numbers_are_accepted(run, open_page):
    simulator = await run(PROFILES / "kitchen-sink.hasaccessory", PROFILES / "light-colour.hasaccessory")
    page = await open_page(simulator, "#/1")
    found = await of_api(simulator, "GET", "/accessories/1")
    ids = {c.get("description"): f"{c['aid']}.{c['iid']}" for a in found["accessories"] for s in a["services"] for c in s["characteristics"]}

    async def put(name, value):
        await of_api(simulator, "PUT", f"/accessories/1/characteristics/{ids[name]}", {"value": value})
        await expect(log(page).locator(".log-row", has_text=f"({ids[name]})").first).to_contain_text(str(value))

    field = page.get_by_label("A uint8", exact=True)
    await field.click()
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type("1")
    await put("A uint8", 99)
    await page.keyboard.type("2")
    await expect(field).to_have_value("12")
    await page.keyboard.press("Enter")
    await expect(log(page).locator(".log-row", has_text=f"({ids['A uint8']})").first).to_contain_text(": 12")
    await put("A uint8", 98)
    await expect(field).to_have_value("98")
    # A field that is not being edited shows new values.
    text = page.get_by_label("A string", exact=True)
    await text.click()
    await put("A string", "from elsewhere")
    await expect(text).to_have_value("from elsewhere")
    bodies = []
    page.on("request", lambda request: request.method == "PUT" and bodies.append(request.post_data))
    for name, typed, shown in (
        ("A uint8", "05", "5"), ("A float", ".5", "0.5"), ("A uint64", "18446744073709551614", "18446744073709551614"),
    ):
        await page.get_by_label(name, exact=True).fill(typed)
        await page.keyboard.press("Enter")
        await expect(page.get_by_label(name, exact=True)).to_have_value(shown)
        await expect(log(page).locator(".log-row", has_text=f"({ids[name]})").first).to_contain_text(shown)
    assert bodies == ['{"value":5}', '{"value":0.5}', '{"value":18446744073709551614}']
    await page.evaluate("location.hash = '#/2'")
    colour = page.get_by_label("Colour", exact=True)
    await colour.focus()
    before = await colour.input_value()
    await of_api(simulator, "PUT", "/accessories/2/characteristics/Hue", {"value": 200})
    await expect(colour).not_to_have_value(before)
    await colour.fill("#00ff00")
    await simulator.wait(lambda line: line.get("event") == "changed" and line.get("name") == "Hue" and line.get("value") == 120)
    await expect(colour).to_have_value("#00ff00")


async def test_a_slider_shows_the_requested_value_until_the_answer_and_the_last_refusal(run, open_page):
    simulator = await run(BRIDGE)
    page = await open_page(simulator, "#/1/2", refusals=True)
    slider = page.get_by_role("slider", name="Brightness", exact=True)
    await expect(slider).to_have_value("100")
    address = await page.locator("[data-address]", has=slider).get_attribute("data-address")
    gate = Gate()
    await page.route(re.compile(f"/v1/accessories/1/characteristics/{address}$"), gate)
    await slider.focus()
    for _ in range(3):
        await page.keyboard.press("ArrowLeft")
    await gate.let(1)
    await gate.nth(2)
    # The first answer, which is 99, was processed.
    await drawn(page)
    await expect(slider).to_have_value("97")
    await expect(slider).to_have_attribute("aria-valuetext", "97 %")
    await expect(page.get_by_label("Brightness, as a number")).to_have_value("97")
    await gate.let(2, {"status": 422, "json": {"error": {"code": "invalid-value", "message": "that is too dark"}}})
    alert = page.locator(f"[data-address='{address}']").get_by_role("alert")
    await expect(alert).to_have_text("Not set: that is too dark. Allowed: 0 to 100 %, in steps of 1.")
    await expect(slider).to_have_value("99")
    gate.open()

    # The details of the characteristic, and reads that get no answer.
    await page.get_by_role("button", name="About Brightness").click()
    stalled = switch(page, "Stall reads")
    async with page.expect_response(lambda response: response.request.method == "PATCH") as response:
        await stalled.click()
    assert (await response.value).status == 200 and (await response.value).request.post_data == '{"stalled":true}'
    await expect(stalled).to_have_attribute("aria-checked", "true")
    await stalled.click()
    await expect(stalled).to_have_attribute("aria-checked", "false")


async def test_an_edited_profile_is_kept_and_other_changes_are_not_overwritten_without_a_warning(run, open_page, tmp_path):
    profile = tmp_path / "of-another-system.hasaccessory"
    profile.write_bytes(GARAGE.read_bytes().replace(b"\n", b"\r\n"))
    simulator = await run(profile)
    page = await open_page(simulator, "#/1/profile")
    area = page.get_by_label("The profile as JSON")
    await expect(area).to_have_value(re.compile("GarageDoorOpener"))
    await expect(page.get_by_role("button", name="Serve this profile")).to_be_disabled()
    written = json.loads(await area.input_value())
    mine = json.dumps({**written, "firmwareRevision": "1.0.1"}, indent=2)
    await area.fill(mine)
    facts = page.locator("dl.facts").first

    async def elsewhere(number, **members):
        await of_api(simulator, "PUT", "/accessories/1/profile", {**written, **members})
        await expect(facts).to_contain_text(f"c#\n{number}", use_inner_text=True)

    other = [{"type": "StatelessProgrammableSwitch", "name": "Bell"}]
    await elsewhere(2, services=written["services"] + other)
    await expect(area).to_have_value(mine)
    save = page.get_by_role("button", name="Serve this profile")
    await save.click()
    await expect(page.get_by_role("alert").filter(has_text="was changed meanwhile")).to_be_visible()
    assert len((await of_api(simulator, "GET", "/accessories/1/profile"))["services"]) == len(written["services"]) + 1
    await save.click()
    await expect(facts).to_contain_text("c#\n3", use_inner_text=True)
    assert (await of_api(simulator, "GET", "/accessories/1/profile")) == {**written, "firmwareRevision": "1.0.1"}
    await expect(save).to_be_disabled()

    # The profile changes while a dialog is open.
    await page.get_by_role("button", name="Add a characteristic…").click()
    dialog = page.get_by_role("dialog", name="Add a characteristic")
    await elsewhere(4, services=written["services"] + other)
    await dialog.get_by_role("button", name="Add characteristic").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("was changed while this dialog was open")
    await dialog.get_by_role("button", name="Cancel").click()
    # All properties of a custom characteristic.
    await page.get_by_role("button", name="Add a characteristic…").click()
    await dialog.get_by_label("Description").fill("Gear")
    await dialog.get_by_label("Timed writes only").check()
    await dialog.get_by_label("Valid values").fill("4, 1 0")
    await dialog.get_by_role("button", name="Add characteristic").click()
    await expect(dialog).to_have_count(0)
    gear = (await of_api(simulator, "GET", "/accessories/1/profile"))["services"][0]["characteristics"][-1]
    assert {name: gear.get(name) for name in ("perms", "valid-values", "minValue", "value")} == {
        "perms": ["pr", "pw", "ev", "tw"], "valid-values": [0, 1, 4], "minValue": None, "value": 0,
    }
    await tab(page, "Services")
    await expect(page.get_by_label("Gear", exact=True).locator("option")).to_have_text(["0", "1", "4"])


async def test_rows_of_connections_keep_the_focus(run, open_page):
    simulator = await run(GARAGE)
    page = await open_page(simulator, "#/1/controllers")
    port = simulator.accessory.port
    writers = []
    close = page.get_by_role("button", name=re.compile("^Close connection"))
    for number in (1, 2):
        writers.append((await asyncio.open_connection("127.0.0.1", port))[1])
        await expect(close).to_have_count(number)
        if number == 1:
            await close.focus()
    await expect(close.first).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(close).to_have_count(1)
    # The row is gone, so the next row has the focus.
    await expect(close).to_be_focused()
    for writer in writers:
        writer.close()
    await expect(close).to_have_count(0)
    await expect(page.get_by_role("heading", name="Connections")).to_be_focused()


async def test_a_long_list_can_be_searched_and_only_its_visible_rows_are_drawn(run, open_page):
    simulator = await run(PROFILES / "switch.hasaccessory", options=("--count", "40", "--bonjour", "off"))
    page = await open_page(simulator)
    rows = page.get_by_role("navigation", name="Accessories").get_by_role("listitem")
    await expect(rows).to_have_count(40)
    await expect(rows.first.locator("svg")).to_be_visible()
    assert await rows.last.locator("svg").count() == 0
    await page.get_by_label("Find an accessory").fill(simulator.accessories[36].device_id)
    await expect(rows.filter(visible=True)).to_have_count(1)
    await expect(rows.locator("svg")).to_have_count(1)
    await expect(page.get_by_text("1 of 40")).to_be_visible()


async def test_the_page_shows_changes_by_other_clients_of_the_api(run, open_page):
    simulator = await run(BRIDGE, options=("--virtual-time",))
    page = await open_page(simulator)
    await expect(page.locator(".tile[data-aid='2']")).to_be_visible()
    await of_api(simulator, "PATCH", "/accessories/1", {"announced": False})
    await expect(switch(page, "Announced")).to_have_attribute("aria-checked", "false")
    await of_api(simulator, "POST", "/clock/advance", {"duration": "1h"})
    await expect(page.get_by_role("region", name="Clock")).to_contain_text("01:00:0")
    await of_api(simulator, "PUT", "/scenario", {"yaml": "scenario: Elsewhere\nsteps:\n- after: 1h\n  note: late\n"})
    await expect(page.get_by_role("region", name="Scenario")).to_contain_text("“Elsewhere” is running")
    await of_api(simulator, "DELETE", "/scenario")
    await expect(page.get_by_role("region", name="Scenario")).to_contain_text("“Elsewhere” stopped")

    # The log contains more events than a new page requests.
    refused = await refused_request(simulator, simulator.accessory.port)
    await changes(simulator, 700, accessory="2", characteristic="On")
    await page.reload()
    await expect(log(page).locator(".log-row", has_text=refused["reason"])).to_have_count(1)
