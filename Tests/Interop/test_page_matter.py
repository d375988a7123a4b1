"""The part of the control page for an accessory as a Matter node.

On real sockets because a browser is a third party.
"""

import re
import socket

from playwright.async_api import expect

from page_browser import Gate, browser, log, of_api, open_page, tab  # noqa: F401 (fixtures)
from process import PROFILES
from test_page import NAMELESS, POOR

LIGHT, OUTLET = PROFILES / "light-white.hasaccessory", PROFILES / "outlet.hasaccessory"
MATTER = ("--matter", "--matter-passcode", "20202021", "--matter-discriminator", "3840")
PAYLOAD = "MT:Y.K90AFN00KA0648G00"
WINDOW = "/accessories/1/matter/window"
FABRICS = [
    {"index": index, "label": label, "vendor": 0xFFF1, "fabricID": "0" * 15 + str(index), "nodeID": "00000000000000AB",
     "compressedID": "0" * 15 + str(index)}
    for index, label in ((1, ""), (2, "Guest"))
]  # fmt: skip


def region(page, name):
    return page.get_by_role("region", name=name, exact=True)


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


async def with_fabrics(page, fabrics):
    """Adds fabrics to each answer, because no Matter controller runs here. `fabrics` can change."""

    async def answer(route):
        response = await route.fetch()
        detail = await response.json()
        if "matter" in detail:
            detail["matter"] |= {"fabrics": fabrics, "commissioned": fabrics != []}
        await route.fulfill(response=response, json=detail)

    await page.route("**/v1/accessories/1", answer)


async def test_the_codes_are_shown_and_a_window_is_opened_and_closed(run, open_page):
    simulator = await run(LIGHT, options=MATTER)
    page = await open_page(simulator)
    await tab(page, "Matter")
    node, window = region(page, "Matter"), region(page, "Commissioning window")
    await expect(node.get_by_role("img", name=f"QR code of the Matter payload {PAYLOAD}")).to_have_attribute("src", re.compile("^blob:"))
    await expect(button(node, "Manual code 34970112332, copy")).to_be_visible()
    await expect(node.locator("dl.facts")).to_contain_text("Not commissioned")
    await expect(window.get_by_role("status")).to_have_text("Open until the accessory is commissioned, with the accessory's own passcode.")
    await expect(button(window, "Open window")).to_be_hidden()
    await button(window, "Close window").click()
    await simulator.wait(lambda line: line.get("event") == "window-closed" and line["reason"] == "closed")
    await expect(window.get_by_role("status")).to_contain_text("No window is open.")
    await expect(button(window, "Close window")).to_be_disabled()

    await window.get_by_label("Passcode").select_option("enhanced")
    await window.get_by_label("Seconds").fill("300")
    await button(window, "Open window").click()
    opened = await simulator.wait(lambda line: line.get("event") == "window-opened")
    assert (opened["kind"], opened["seconds"]) == ("enhanced", 300)
    state = (await of_api(simulator, "GET", "/accessories/1/matter"))["window"]
    await expect(window.get_by_role("status")).to_contain_text("with a passcode of its own")
    image = window.get_by_role("img", name=f"QR code of the Matter payload {state['payload']}")
    await expect(image).to_have_attribute("src", re.compile("^blob:"))
    await expect(button(window, f"Manual code {state['manualCode']}, copy")).to_be_visible()
    await expect(log(page).get_by_text("commissioning window opened: enhanced, for 300 s")).to_be_visible()

    # Another client closes it, and opens a basic one: its codes are those of the accessory.
    await of_api(simulator, "DELETE", WINDOW)
    await expect(window.get_by_role("status")).to_contain_text("No window is open.")
    await expect(image).to_have_count(0)
    await of_api(simulator, "POST", WINDOW)
    await expect(window.get_by_role("status")).to_have_text(re.compile("^Open for 1[78][0-9] s, with the accessory's own passcode.$"))
    await expect(window.get_by_role("img")).to_have_count(0)


async def test_a_refused_window_is_reported_and_the_browser_checks_the_seconds(run, open_page):
    simulator = await run(LIGHT, options=MATTER)
    page = await open_page(simulator, "#/1/matter", refusals=True)
    window = region(page, "Commissioning window")
    await of_api(simulator, "DELETE", WINDOW)
    await expect(button(window, "Open window")).to_be_visible()
    await window.get_by_label("Seconds").fill("10")
    await button(window, "Open window").click()
    assert await window.get_by_label("Seconds").evaluate("(input) => !input.checkValidity()")
    assert (await of_api(simulator, "GET", "/accessories/1/matter"))["window"] is None
    await window.get_by_label("Seconds").fill("180")
    # The other client is faster, and the page has not heard of it yet.
    gate = Gate()
    await page.route(f"**/v1{WINDOW}", gate)
    await button(window, "Open window").click()
    await gate.nth(1)
    await of_api(simulator, "POST", WINDOW)
    await gate.let(1)
    await expect(page.get_by_text("is open already: use its codes")).to_be_visible()
    await expect(button(window, "Close window")).to_be_enabled()


async def test_the_window_counts_down(run, open_page):
    simulator = await run(LIGHT, options=MATTER)
    page = await open_page(simulator, "#/1/matter", clock=True)
    window = region(page, "Commissioning window")
    await of_api(simulator, "DELETE", WINDOW)
    await expect(window.get_by_role("status")).to_contain_text("No window is open.")
    await of_api(simulator, "POST", WINDOW, {"kind": "basic", "seconds": 900})
    await expect(window.get_by_role("status")).to_have_text(re.compile("^Open for (900|89[0-9]) s"))
    await page.clock.fast_forward(100_000)
    await expect(window.get_by_role("status")).to_have_text(re.compile("^Open for (800|79[0-9]|7[0-8][0-9]) s"))


async def test_a_fabric_is_removed_after_a_question(run, open_page):
    simulator = await run(LIGHT, options=MATTER)
    page = await open_page(simulator, "#/1/matter")
    fabrics = list(FABRICS)
    await with_fabrics(page, fabrics)
    removals = []

    async def remove(route):
        removals.append(route.request.method)
        del fabrics[1]
        await route.fulfill(status=204)

    await page.route("**/matter/fabrics/2", remove)
    await page.reload()
    table = region(page, "Fabrics")
    await expect(table.get_by_role("row")).to_have_count(3)
    await expect(table.get_by_role("row", name="Fabric 2 (Guest)")).to_contain_text("0xFFF1")
    await expect(page.locator(".head")).to_contain_text("in 2 Matter fabrics")
    await button(table, "Remove fabric 2").click()
    await button(page.get_by_role("dialog"), "Cancel").click()
    assert removals == []
    await button(table, "Remove fabric 2").click()
    await expect(page.get_by_role("dialog")).to_contain_text("Its controllers lose the accessory")
    await button(page.get_by_role("dialog"), "Remove").click()
    await expect(table.get_by_role("row")).to_have_count(2)
    assert removals == ["DELETE"]
    # The row is gone, so the next one has the focus.
    await expect(button(table, "Remove fabric 1")).to_be_focused()


async def test_nothing_can_be_used_before_it_is_loaded_or_while_the_accessory_does_not_run(run, open_page):
    simulator = await run(LIGHT, OUTLET, options=MATTER)
    page = await open_page(simulator, "#/1/matter")
    window = region(page, "Commissioning window")
    await expect(button(window, "Close window")).to_be_enabled()
    gate = Gate()
    await page.route("**/v1/accessories/1", gate)
    await page.reload()
    await gate.nth(1)
    await expect(page.get_by_role("main").get_by_role("button")).to_have_count(0)
    # Events before the answer, and in another order than the answers.
    await of_api(simulator, "DELETE", WINDOW)
    await of_api(simulator, "POST", WINDOW)
    await page.unroute("**/v1/accessories/1")
    gate.open()
    await expect(window.get_by_role("status")).to_contain_text("Open for")
    await expect(button(window, "Close window")).to_be_enabled()

    await of_api(simulator, "POST", "/commands", {"command": "stop", "accessory": simulator.accessories[0].name})
    await expect(window.get_by_role("status")).to_contain_text("while the accessory does not run")
    for name in ("Open window", "Close window"):
        await expect(button(window, name)).to_be_disabled()
    await expect(region(page, "Matter").get_by_role("img")).to_have_count(0)


async def test_the_tab_is_kept_over_a_restart_and_missing_without_matter(run, open_page):
    simulator = await run(LIGHT, options=MATTER)
    page = await open_page(simulator, "#/1/matter")
    await of_api(simulator, "POST", "/accessories/1/restart", {"kind": "reboot"})
    await simulator.wait(lambda line: line.get("event") == "restarted")
    await expect(page.get_by_role("tab", name="Matter")).to_have_attribute("aria-selected", "true")
    await expect(button(region(page, "Commissioning window"), "Close window")).to_be_enabled()

    plain = await run(LIGHT)
    page = await open_page(plain, "#/1/matter")
    await expect(page.get_by_role("tab", name="Services")).to_have_attribute("aria-selected", "true")
    await expect(page.get_by_role("tab", name="Matter")).to_have_count(0)
    await page.evaluate("location.hash = '#/1/profile'")
    await expect(page.get_by_role("tab", name="Profile")).to_have_attribute("aria-selected", "true")


async def test_every_control_has_a_name_every_text_has_contrast_and_nothing_overflows(run, open_page):
    simulator = await run(LIGHT, options=MATTER)
    page = await open_page(simulator, "#/1/matter")
    await with_fabrics(page, FABRICS)
    await of_api(simulator, "DELETE", WINDOW)
    await of_api(simulator, "POST", WINDOW, {"kind": "enhanced", "seconds": 900})
    await page.reload()
    await expect(region(page, "Fabrics").get_by_role("row")).to_have_count(3)
    await expect(region(page, "Commissioning window").get_by_role("img")).to_be_visible()
    assert await page.evaluate(NAMELESS) == [] and await page.evaluate(POOR) == []
    for width in (1440, 1000, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        over = await page.evaluate(
            "[...document.querySelectorAll('main *')].filter((e) => e.checkVisibility() && !e.closest('svg, .tabs')"
            " && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 120))"
        )
        assert over == [] and await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width


def pbkdf_param_request(counter):
    """The first message of PASE. Matter 1.4 §4.4, §4.14.1.2."""
    header = b"\x04\0\0\0" + counter.to_bytes(4, "little") + b"ephemera"
    exchange = b"\x05\x20\x2a\0\0\0"
    return header + exchange + b"\x15\x30\x01\x20" + bytes(32) + b"\x25\x02\x34\x12\x24\x03\0\x28\x04\x18"


async def test_messages_are_listed_decoded_with_the_reasons_of_refusals(run, open_page):
    simulator = await run(LIGHT, options=MATTER)
    page = await open_page(simulator, "#/1/matter")
    messages = region(page, "Messages")
    await expect(messages).to_contain_text("No messages since the page was opened.")
    rows = messages.get_by_role("listitem")
    port = simulator.said[0]["accessories"][0]["matter"]["port"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{peer.getsockname()[1]}"
        peer.sendto(b"\xf0", ("127.0.0.1", port))
        await expect(messages).to_contain_text("the message has version 15")
        await expect(messages).to_contain_text(f"Unreadable datagram{address}")
        await expect(log(page).get_by_text("unreadable datagram")).to_be_visible()
        for _ in range(2):
            peer.sendto(pbkdf_param_request(7), ("127.0.0.1", port))
        await expect(rows.filter(has_text="PBKDFParamResponse").first).to_contain_text("1000 iterations")
        request = rows.filter(has_text="PBKDFParamRequest")
        await expect(request.filter(has_text="repeated").first).to_contain_text(f"{address}, no session, exchange 42 of the controller, message 7")
        await expect(request.first).to_contain_text("session 4660 of the initiator")
        await expect(messages.get_by_text("Acknowledgement", exact=True)).to_have_count(0)
        await messages.get_by_label("Acknowledgements").check()
        await expect(rows.filter(has_text="Acknowledgement").first).to_contain_text("sent")
    # The log has them with the requests.
    await expect(log(page).get_by_text("PBKDFParamRequest")).to_have_count(0)
    await log(page).get_by_label("Requests").check()
    await expect(log(page).get_by_text("PBKDFParamRequest").first).to_be_visible()
    # A reloaded page has the messages of the server's log.
    await page.reload()
    await expect(request.first).to_be_visible()
    assert await page.evaluate(NAMELESS) == [] and await page.evaluate(POOR) == []


async def test_controllers_of_matter_have_their_names(run, open_page):
    simulator = await run(LIGHT, options=MATTER)
    page = await open_page(simulator)
    names = await page.evaluate(
        """async () => {
          const { controllerName } = await import("/controller-names.js");
          return ["Matter fabric 12", "Matter fabric 1 node 000000000001B669", "Matter commissioner", "3F9A-1"].map(controllerName);
        }"""
    )
    assert names == ["Matter fabric 12", "Matter fabric 1 node 1B669", "Matter commissioner", "Controller 3F9A"]
