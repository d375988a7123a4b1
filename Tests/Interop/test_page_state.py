"""How the page shows states: an overview, a lost connection, refused values, and a readable log.

On real sockets because a browser is a third party.
"""

import asyncio
import json
import re
from datetime import datetime, timedelta

import pytest
from playwright.async_api import expect

from page_browser import browser, log, of_api, open_page, switch, tab  # noqa: F401 (fixtures)
from phone import characteristic
from process import PATIENCE, PROFILES

GARAGE = PROFILES / "garage-door.hasaccessory"
BRIDGE = PROFILES / "bridge-two-lights.hasaccessory"
LAMP = PROFILES / "light-white.hasaccessory"
OWN = "A1B2C3D4-0000-4000-8000-00112233440"


def row(page, name):
    return page.locator("[data-address]", has_text=name)


@pytest.fixture
def own(tmp_path):
    """A lamp with characteristics that can only be written, and one with 64 bits."""
    characteristics = [
        {"type": f"{OWN}1", "description": "Scene", "format": "uint8", "perms": ["pw"], "valid-values": [0, 1, 4]},
        {"type": f"{OWN}2", "description": "Fade", "format": "uint16", "perms": ["pw"], "minValue": 0, "maxValue": 100},
        {"type": f"{OWN}3", "description": "Serial", "format": "uint64", "perms": ["pr", "pw", "ev"], "value": 18446744073709551610},
    ]
    profile = tmp_path / "own.hasaccessory"
    services = [{"type": "LightBulb", "characteristics": characteristics}]
    profile.write_text(json.dumps({"format": "hasaccessory/1", "name": "Own", "services": services}))
    return profile


async def test_a_lost_connection_is_shown_and_the_page_reconnects_at_the_fixed_port(run, open_page, tmp_path):
    first = await run(GARAGE, state=tmp_path)
    page = await open_page(first, refusals=True, clock=True)
    target = page.get_by_role("radiogroup", name="Target Door State").get_by_role("radio", name="Open", exact=True)
    await target.focus()
    dot = page.locator(".accessories .dot")
    await expect(dot).to_have_accessible_name("running")
    await first.stop()
    banner = page.locator("#connection")
    await expect(banner).to_contain_text("The connection to hapsim is lost")
    await expect(page.locator(".dot.unknown")).to_have_count(1)
    for part in ("#main", "#time", "#list"):
        assert await page.locator(part).evaluate("(part) => part.inert")
    await expect(page.locator("#time")).to_contain_text("disconnected")
    # The shown clock does not change while the connection is lost.
    clock = await page.locator("#time .mono").inner_text()
    await page.clock.fast_forward(60_000)
    assert await page.locator("#time .mono").inner_text() == clock

    # Another process at the same port without `--control`: the page loads everything again.
    again = await run(GARAGE, BRIDGE, state=tmp_path)
    assert again.said[0]["control"] == first.said[0]["control"]
    await expect(banner).to_contain_text("The connection is back")
    await expect(page.locator(".dot.running")).to_have_count(2)
    assert not await page.locator("#main").evaluate("(main) => main.inert")
    await expect(target).to_be_focused()
    await target.check()
    await again.wait(lambda line: line.get("event") == "changed" and line.get("name") == "Target Door State")
    await expect(page.get_by_role("region", name="Clock")).not_to_contain_text("disconnected")


async def test_the_overview_and_the_list_show_current_states(run, open_page):
    simulator = await run(GARAGE, LAMP, BRIDGE)
    page = await open_page(simulator)
    await expect(page.get_by_role("heading", name="Overview", level=2)).to_be_visible()
    tiles = page.locator(".tile")
    await expect(tiles).to_have_count(4)
    garage, lamp, desk = tiles.nth(0), tiles.nth(1), page.locator(".tile[data-number='3'][data-aid='2']")
    items = page.get_by_role("navigation", name="Accessories").get_by_role("listitem")
    await expect(garage).to_contain_text("Closed")
    await expect(items.nth(0)).to_contain_text("Closed")
    await expect(items.nth(2)).to_contain_text("0 of 2 active")
    await expect(lamp).not_to_have_class(re.compile("is-active"))
    await switch(page, simulator.accessories[1].name).click()
    await expect(lamp).to_have_class(re.compile("is-active"))
    await expect(lamp).to_contain_text("On")
    await expect(items.nth(1)).to_contain_text("On")
    # Changes by other clients are shown too.
    await of_api(simulator, "PUT", "/accessories/3/characteristics/On?aid=2", {"value": True})
    await expect(desk).to_have_class(re.compile("is-active"))
    await expect(items.nth(2)).to_contain_text("1 of 2 active")
    await of_api(simulator, "PATCH", "/accessories/3/bridged/2", {"online": False})
    await expect(desk).to_contain_text("Offline")
    await of_api(simulator, "PUT", "/accessories/1/characteristics/CurrentDoorState", {"value": "stopped"})
    await expect(garage).to_contain_text("Stopped")
    await of_api(simulator, "DELETE", "/accessories/2")
    await expect(tiles).to_have_count(3)
    # To an accessory and back; the focus moves to its heading.
    await garage.get_by_role("link").press("Enter")
    await expect(page.get_by_role("main").get_by_role("heading", name=simulator.accessories[0].name, level=2)).to_be_focused()
    await page.get_by_role("link", name="Overview").click()
    await expect(tiles).to_have_count(3)


async def test_the_list_of_the_api_has_the_requested_values(run):
    simulator = await run(BRIDGE)
    (plain,) = (await of_api(simulator, "GET", "/accessories"))["accessories"]
    assert "accessories" not in plain
    (found,) = (await of_api(simulator, "GET", "/accessories?types=25,8"))["accessories"]
    assert {key: value for key, value in found.items() if key != "accessories"} == plain
    _, desk, _ = found["accessories"]
    (service,) = desk["services"]
    assert (desk["aid"], desk["online"]) == (2, True) and [c["type"] for c in service["characteristics"]] == ["25", "8"]
    for wrong in ("x", "", "25,"):
        await of_api(simulator, "GET", f"/accessories?types={wrong}", status=(400,))
    await of_api(simulator, "GET", f"/accessories?types={','.join(['25'] * 65)}", status=(400,))


async def test_a_refused_value_is_shown_with_its_rule_until_it_is_corrected(run, open_page):
    simulator = await run(LAMP)
    page = await open_page(simulator, refusals=True)
    field = page.get_by_label("Brightness, as a number")
    await field.fill("300")
    await field.press("Enter")
    alert = row(page, "Brightness").get_by_role("alert")
    await expect(alert).to_contain_text("Allowed: 0 to 100 %, in steps of 1.")
    await expect(field).to_have_value("300")
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_role("slider", name="Brightness", exact=True)).to_have_value("100")
    # The refusal stays also when the field loses the focus and when the value changes.
    await field.blur()
    await of_api(simulator, "PUT", "/accessories/1/characteristics/Brightness", {"value": 40})
    await expect(page.get_by_role("slider", name="Brightness", exact=True)).to_have_value("40")
    await expect(field).to_have_value("300")
    await field.press("Escape")
    await expect(field).to_have_value("40")
    await expect(row(page, "Brightness").locator(".refused")).to_be_empty()
    await field.fill("55")
    await field.press("Enter")
    await simulator.wait(lambda line: line.get("event") == "changed" and line.get("value") == 55)
    assert await field.get_attribute("aria-invalid") is None


async def test_a_write_only_value_is_selected_and_written_with_the_keyboard(run, open_page, own):
    simulator = await run(own)
    page = await open_page(simulator, refusals=True)
    scene = page.get_by_role("combobox", name="Scene")
    await expect(scene).to_have_value("")
    await expect(row(page, "Scene")).to_contain_text("Cannot be read")
    await page.get_by_role("button", name="Write Scene").click()
    await expect(row(page, "Scene").get_by_role("alert")).to_contain_text("Allowed: one of 0, 1, 4.")
    await expect(scene).to_have_attribute("aria-invalid", "true")
    await scene.focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    line = await simulator.wait(lambda line: line.get("event") == "changed" and line.get("name") == "Scene")
    assert line["value"] == 0
    await expect(row(page, "Scene")).to_contain_text("Last written: 0")
    assert await scene.get_attribute("aria-invalid") is None
    fade = page.get_by_role("textbox", name="Fade")
    await fade.fill("101")
    await fade.press("Enter")
    await expect(row(page, "Fade").get_by_role("alert")).to_contain_text("Allowed: 0 to 100.")
    await expect(fade).to_have_value("101")
    await fade.fill("7")
    await fade.press("Enter")
    await simulator.wait(lambda line: line.get("event") == "changed" and line.get("name") == "Fade" and line.get("value") == 7)


async def test_every_digit_of_a_64_bit_number_is_shown_typed_and_written(run, open_page, own):
    simulator = await run(own)
    page = await open_page(simulator, refusals=True)
    field = page.get_by_label("Serial", exact=True)
    await expect(field).to_have_value("18446744073709551610")
    assert await field.evaluate("(field) => field.scrollWidth <= field.clientWidth")
    await of_api(simulator, "PUT", f"/accessories/1/characteristics/{OWN}3", {"value": 18446744073709551609})
    await expect(field).to_have_value("18446744073709551609")
    # JavaScript holds this number exactly, but not its product with 1000.
    await of_api(simulator, "PUT", f"/accessories/1/characteristics/{OWN}3", {"value": 5382219032452459})
    await expect(field).to_have_value("5382219032452459")
    in_words = """async () => (await import("/words.js")).valueInWords({ format: "uint64" }, 72068000252811)"""
    assert await page.evaluate(in_words) == "72068000252811"
    await field.fill("18446744073709551615")
    await field.press("Enter")
    await simulator.wait(lambda line: line.get("event") == "changed" and line.get("value") == 18446744073709551615)
    await field.fill("18446744073709551616")
    await field.press("Enter")
    await expect(row(page, "Serial").get_by_role("alert")).to_contain_text("Allowed: 0 to 18446744073709551615.")
    await expect(field).to_have_value("18446744073709551616")
    # A browser without the source text of numbers in JSON.parse reads the same.
    parsed = await page.evaluate("""async () => {
      const { parse } = await import("/web.js");
      return parse('{"a":18446744073709551615,"b":"18446744073709551615 \\\\" 1","c":0.12345678901234567,"d":[-9223372036854775808],"e":12}');
    }""")
    assert parsed == {
        "a": "18446744073709551615", "b": '18446744073709551615 " 1', "c": 0.12345678901234567, "d": ["-9223372036854775808"], "e": 12,
    }


async def test_a_phone_shows_the_controls_before_the_setup_code(run, open_page):
    page = await open_page(await run(GARAGE), viewport={"width": 390, "height": 844})
    await expect(page.locator("[data-address]").first).to_be_visible()
    order = "[...document.querySelectorAll('.characteristic, .setup, .switches')].map((part) => [part.className, part.getBoundingClientRect().top])"
    shown = await page.evaluate(order)
    assert shown[0][0].startswith("characteristic") and [name for name, _ in shown[-2:]] == ["setup", "switches"]
    assert [top for _, top in shown] == sorted(top for _, top in shown)
    # In a wide window the code is in the head again.
    await page.set_viewport_size({"width": 1440, "height": 900})
    await expect(page.locator(".head > .setup")).to_be_visible()


async def test_the_log_names_controllers_and_folds_their_subscriptions(run, open_page, phone):
    simulator = await run(BRIDGE)
    page = await open_page(simulator, "#/1/controllers")
    home = await phone.pair(simulator.accessory)
    accessories = await home.accessories()
    await home.subscribe(characteristic(accessories, "ON", aid=2), characteristic(accessories, "ON", aid=3))
    name = f"Controller {home.identifier[:4].upper()}"
    subscribed = log(page).locator(".log-row", has_text="subscribed to 2 characteristics")
    await expect(subscribed).to_have_count(1)
    await expect(subscribed.locator("summary")).to_have_text(f"{name} subscribed to 2 characteristics")
    # Rows are not reached with Tab. The arrow keys move between them.
    await expect(subscribed.locator("summary")).to_have_attribute("tabindex", "-1")
    await log(page).get_by_role("searchbox").fill("subscribed to")
    await log(page).locator(".log-rows").press("ArrowDown")
    await expect(subscribed.locator("summary")).to_be_focused()
    await subscribed.locator("summary").click()
    await expect(subscribed.get_by_role("listitem")).to_have_count(2)
    assert home.identifier not in await log(page).inner_text()
    pairings = page.get_by_role("region", name="Pairings")
    await expect(pairings).to_contain_text(name)
    await expect(pairings).to_contain_text(home.identifier)
    # The file has every event, with complete identifiers.
    async with page.expect_download() as download:
        await log(page).get_by_role("button", name="Save").click()
    saved = (await (await download.value).path()).read_text()
    assert len([line for line in saved.splitlines() if f"{home.identifier} subscribed to" in line]) == 2


async def test_one_event_is_counted_in_the_singular_and_the_header_of_the_log_does_not_move(run, open_page):
    simulator = await run(LAMP, options=("--bonjour", "off"))
    page = await open_page(simulator, clock=True)
    await expect(page.locator(".glance")).to_be_visible()
    rate = log(page).locator(".rate")
    await expect(rate).to_be_empty()
    await page.clock.pause_at(datetime.now() + timedelta(seconds=5))
    tops = "[...document.querySelectorAll('.log button, .log-rows')].map((part) => part.getBoundingClientRect().top)"
    before = await page.evaluate(tops)
    await of_api(simulator, "PUT", "/accessories/1/characteristics/On", {"value": True})
    async with asyncio.timeout(PATIENCE):
        while await rate.inner_text() == "":
            await page.clock.run_for(100)
    await expect(rate).to_have_text("1 event a second")
    assert await page.evaluate(tops) == before


async def test_an_obstruction_has_one_switch(run, open_page):
    page = await open_page(await run(GARAGE))
    await expect(page.get_by_role("switch", name=re.compile("^Obstruct"))).to_have_count(1)
    await page.get_by_role("switch", name="Obstructed").click()
    await expect(row(page, "Obstruction Detected").locator(".reported")).to_have_text("Yes")


async def test_the_field_for_the_token_has_the_focus_and_a_wrong_token_is_reported(run, open_page):
    simulator = await run(GARAGE, options=("--control-token", "a-secret-of-sorts"))
    page = await open_page(simulator, "", refusals=True)
    await expect(page.get_by_role("textbox", name="Token")).to_be_focused()
    await page.keyboard.type("not-the-secret")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("hapsim did not accept this token")
    await page.keyboard.type("a-secret-of-sorts")
    await page.keyboard.press("Enter")
    await expect(page.locator(".glance")).to_contain_text("Closed")


async def test_a_token_with_reserved_characters_is_escaped_in_the_address(run, open_page):
    simulator = await run(GARAGE, options=("--control-token", "a+b%41&c#d/e"))
    assert simulator.said[0]["control"].endswith("#token=a%2Bb%2541%26c%23d%2Fe")
    page = await open_page(simulator)
    await expect(page.locator(".glance")).to_contain_text("Closed")


async def test_another_hapsim_at_the_same_port_is_reported(run, open_page):
    first = await run(GARAGE)
    page = await open_page(first, "#/1", refusals=True)
    await expect(page.locator(".glance")).to_contain_text("Closed")
    await first.stop()
    await expect(page.locator("#connection")).to_contain_text("The connection to hapsim is lost")
    await run(LAMP, GARAGE)
    await expect(page.locator("#notices")).to_contain_text("Another hapsim answers here")
    await expect(page.get_by_role("heading", name="Overview", level=2)).to_be_visible()


async def test_rows_of_the_log_do_not_keep_every_event(run, open_page):
    page = await open_page(await run(LAMP), clock=True)
    await expect(page.locator(".glance")).to_be_visible()
    await page.clock.pause_at(datetime.now() + timedelta(seconds=5))
    await page.evaluate("""async () => {
      const [{ Log }, { Store }] = await Promise.all([import("/log.js"), import("/store.js")]);
      window.another = document.createElement("section");
      another.id = "another";
      document.getElementById("main").append(another);
      window.anotherStore = new Store();
      new Log(anotherStore, another);
    }""")
    # Five rows, each of three hundred events.
    for number in range(5):
        await page.evaluate("""(number) => {
          for (let iid = 0; iid < 300; iid += 1) {
            const event = { seq: iid, time: 0, number: 1, aid: 1, iid, event: "subscribed", controller: `C$&${number}`, text: `C$&${number} subscribed to ${iid}` };
            anotherStore.tell("happened", event);
          }
        }""", number)
        await page.clock.run_for(1000)
    rows = page.locator("#another .log-row")
    await expect(rows).to_have_count(5)
    await expect(rows.first.locator("summary")).to_contain_text("subscribed to 300 characteristics")
    assert await rows.first.locator("li").count() == 20
    await expect(rows.first.locator("details")).to_contain_text("and 280 earlier")
    async with page.expect_download() as download:
        await page.locator("#another").get_by_role("button", name="Save").click()
    assert len((await (await download.value).path()).read_text().splitlines()) == 600


async def test_an_older_answer_does_not_replace_a_newer_one(run, open_page):
    page = await open_page(await run(LAMP))
    await expect(page.locator(".glance")).to_be_visible()
    state = await page.evaluate("""async () => {
      const { Store } = await import("/store.js");
      const store = new Store();
      const answers = [];
      const real = window.fetch;
      window.fetch = () => new Promise((answer) => answers.push(answer));
      const [older, newer] = [store.loadScenario(), store.loadScenario()];
      window.fetch = real;
      answers[1](new Response('{"state":"playing"}'));
      await newer;
      answers[0](new Response('{"state":"none"}'));
      await older;
      return store.scenario.state;
    }""")
    assert state == "playing"


async def test_the_overview_requests_presses_of_buttons(run, open_page):
    page = await open_page(await run(LAMP))
    assert "73" in await page.evaluate("async () => (await import('/glance.js')).STATE_TYPES")


async def test_only_a_wrong_value_is_refused_with_the_allowed_values(run, open_page):
    page = await open_page(await run(LAMP))
    texts = await page.evaluate("""async () => {
      const { refusalOf } = await import("/rule.js");
      return [undefined, 422, 404, 0].map((status) => refusalOf({ format: "uint8" }, { message: "No", status }));
    }""")
    assert texts == ["Not set: No. Allowed: 0 to 255."] * 2 + ["Not set: No."] * 2


async def test_the_pause_grows_while_connections_end_at_once(run, open_page):
    page = await open_page(await run(LAMP), clock=True)
    await expect(page.locator(".glance")).to_be_visible()
    await page.clock.pause_at(datetime.now() + timedelta(seconds=5))
    pauses = await page.evaluate("""async () => {
      const { follow } = await import("/events.js");
      const [real, pauses] = [window.setTimeout, []];
      const over = new Promise((done) => {
        window.setTimeout = (job, time) => {
          if (time > 5000) return real(job, time);
          pauses.push(time);
          if (pauses.length === 5) return done();
          job();
        };
        window.fetch = async () => new Response("");
        follow({ begin: async () => ({ after: 0 }), onEvent() {}, onState() {} });
      });
      await over;
      return pauses;
    }""")
    assert pauses == [250, 500, 1000, 2000, 4000]
