"""The control API over its socket: which requests and connections are refused.

On real sockets because web clients are third parties. The tests send the bytes that such clients might send.
"""

import asyncio
from socket import gethostname

import pytest
from process import PATIENCE, PROFILES, hapsim, run_to_its_end
from web import control, first

LAMP = PROFILES / "light-white.hasaccessory"


async def test_requests_from_other_sites_are_refused(run, webs):
    """[DNS rebinding, cross-site requests] Refused requests have no effect."""
    simulator = await run(LAMP)
    _, port = control(simulator)
    body = {"value": 99}
    target = "/v1/accessories/1/characteristics/Brightness"
    for fields, status in (
        ({"Host": f"evil.example:{port}"}, 403),
        ({"Host": None}, 403),
        ({"Host": f"{gethostname().partition('.')[0]}:{port}"}, 403),
        ({"Host": f"{gethostname().partition('.')[0]}.local:{port}"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": f"http://localhost:{port}"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
    ):
        web = await webs(simulator)
        answer = await web.ask("PUT", target, body, **fields)
        assert answer.status == status, fields
        assert "access-control-allow-origin" not in answer.fields
        if status == 403:
            assert await web.is_over()
    web = await webs(simulator)
    asked = await web.ask("OPTIONS", target, Origin=f"http://127.0.0.1:{port}", Access_Control_Request_Method="PUT")
    assert asked.status == 405 and "access-control-allow-methods" not in asked.fields
    assert (await web.ask("GET", target)).json["value"] != 99
    assert (await web.ask("PUT", target, body, Origin=f"http://127.0.0.1:{port}")).json["value"] == 99


async def test_oversized_and_malformed_requests_are_refused(run, webs):
    simulator = await run(LAMP)
    for request, status in (
        (b"GET /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4194305\r\n\r\n", 413),
        (b"GET /v1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", 413),
        (b"GET /v1 HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", 431),
        (b"GET /v1 HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", 431),
        (b"GET /v1 HTTP/2.0\r\n\r\n", 505),
        (b"nonsense\r\n\r\n", 400),
        (b"GET /%ff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET http://evil.example/v1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 403),
    ):
        web = await webs(simulator)
        await web.raw(request)
        answer = await web.answer()
        assert answer.status == status, request[:60]
        assert answer.error["message"] and await web.is_over()
    deep = await webs(simulator)
    answer = await deep.ask("POST", "/v1/accessories", b"[" * 100_000)
    assert answer.status == 400 and answer.error["line"] == 1
    assert (await (await webs(simulator)).ask("GET", "/v1")).status == 200


async def test_requests_follow_each_other_on_a_connection(run, webs):
    simulator = await run(LAMP)
    web = await webs(simulator)
    for _ in range(3):
        assert (await web.ask("GET", "/v1")).status == 200
    # Several requests at once, split into small writes, with chunks.
    host = web.host.encode()
    text = b"GET /v1 HTTP/1.1\r\nHost: " + host + b"\r\n\r\n"
    text += b"PUT /v1/accessories/1/characteristics/Brightness HTTP/1.1\r\nHost: " + host
    text += b"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"value\":\r\n3\r\n 7}\r\n0\r\n\r\n"
    text += b"GET /v1/clock HTTP/1.0\r\nHost: " + host + b"\r\n\r\n"
    for start in range(0, len(text), 50):
        await web.raw(text[start : start + 50])
    answers = [await web.answer() for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert answers[1].json["value"] == 7 and answers[2].fields["connection"] == "close"
    assert await web.is_over()
    # HEAD is answered without a body. The server waits for a body that Content-Length declares.
    web = await webs(simulator)
    head = await web.ask("HEAD", "/v1/openapi.json")
    assert (head.status, head.body) == (200, b"") and int(head.fields["content-length"]) > 10_000
    await web.send("PUT", "/v1/accessories/1/characteristics/Brightness", Expect="100-continue", Content_Type="application/json", Content_Length="11")
    async with asyncio.timeout(PATIENCE):
        assert (await web.head())[0] == 100
    await web.raw(b'{"value":8}')
    assert (await web.answer()).json["value"] == 8


@pytest.mark.long
async def test_idle_connections_are_evicted_at_the_limit(run, webs):
    """Idle connections are evicted; a connection that follows events stays."""
    simulator = await run(LAMP)
    listener = await webs(simulator)
    events = await listener.follow("/v1/events")
    idle = [await webs(simulator) for _ in range(200)]
    web = await webs(simulator)
    await web.ask("PUT", "/v1/accessories/1/characteristics/Brightness", {"value": 5})
    await first(events, "changed", value=5)
    assert await idle[0].is_over()


async def test_an_address_beyond_loopback_requires_a_token(run, webs, tmp_path):
    status, output, errors = await run_to_its_end(hapsim(), "run", LAMP, "--ephemeral", "--control", "0.0.0.0:0")
    assert (status, output) == (2, "") and "--control-token" in errors
    simulator = await run(LAMP, options=("--control", "127.0.0.1:0", "--control-token", "open-sesame"))
    assert simulator.said[0]["control"].endswith("/#token=open-sesame")
    web = await webs(simulator)
    assert (await web.ask("GET", "/")).status == 200, "the page is no secret"
    refused = await web.ask("GET", "/v1")
    assert refused.status == 401 and refused.fields["www-authenticate"] == "Bearer"
    assert (await (await webs(simulator)).ask("GET", "/v1", Authorization="Bearer open-sesamE")).status == 401
    assert (await (await webs(simulator)).ask("GET", "/v1", Authorization="Bearer open-sesame")).status == 200
    assert (await (await webs(simulator)).ask("GET", "/v1/events")).status == 401
    # With a token the machine's host name is accepted.
    own = {"Host": gethostname().partition(".")[0], "Authorization": "Bearer open-sesame"}
    assert (await (await webs(simulator)).ask("GET", "/v1", **own)).status == 200
    # Access is checked before the body arrives. The token can come from a file.
    (tmp_path / "token").write_text("from-a-file\n")
    kept = await run(LAMP, options=("--control", "127.0.0.1:0", "--control-token-file", tmp_path / "token"))
    early = await webs(kept)
    await early.send("POST", "/v1/accessories", Content_Length="4000000", Content_Type="application/json")
    assert (await early.answer()).status == 401
    assert (await (await webs(kept)).ask("GET", "/v1", Authorization="Bearer from-a-file")).status == 200
    for options, code in (
        (("--control-token-file", tmp_path / "none"), 3),
        (("--control-token-file", tmp_path / "token", "--control-token", "open-sesame"), 2),
    ):
        status, output, errors = await run_to_its_end(hapsim(), "run", LAMP, "--ephemeral", *options)
        assert (status, output) == (code, "") and "--control-token-file" in errors, errors
