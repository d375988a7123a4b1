"""An app with `import HomeKit`, as a process of its own, with an accessory made with HAP-python.

On real sockets because HAP-python is a third party. The app runs the hub of its folder, and `hapctl home` attaches to it.
"""

import json
import sys
from pathlib import Path

from process import Simulator, hapsim, run_to_its_end

HERE = Path(__file__).parent
CODE = "031-45-154"


class App:
    """The example of Examples/Home/setup-app with its real hub."""

    seen = 0

    @classmethod
    async def start(cls, folder):
        app = cls()
        app.folder = folder
        app.process = await Simulator.launch(
            Path(hapsim()).with_name("setup-app"), "--real", environment={"HAPHOME_FOLDER": str(folder), "HAPHOME_INTERFACE": "lo"}
        )
        return app

    async def sees(self, text):
        """Waits until the app prints a line with this text, which the test has not seen."""
        start = self.seen
        await self.process.wait(lambda line: text in line.get("not JSON", ""), since=start)
        self.seen = next(n for n, line in enumerate(self.process.said) if n >= start and text in line.get("not JSON", "")) + 1
        return self.process.said[self.seen - 1]["not JSON"]

    async def does(self, line):
        await self.process.send(line)

    async def hapctl(self, *words):
        status, output, errors = await run_to_its_end(Path(hapsim()).with_name("hapctl"), "home", *words, "--json", "--folder", self.folder)
        assert status == 0, (words, output, errors)
        return json.loads(output.splitlines()[-1])


async def test_an_app_with_homekit_adds_a_bulb_of_hap_python_and_shares_its_hub(run, tmp_path):
    await run(program=(sys.executable, HERE / "bulb.py", tmp_path / "bulb.state"))
    app = await App.start(tmp_path / "home")
    try:
        await app.sees("New Home")
        await app.does('type "New Home" Cottage')
        await app.sees("[Add to Cottage]")
        await app.does('tap "Add to Cottage"')
        await app.sees("Setup Code or Payload")
        await app.does(f'type "Setup Code or Payload" {CODE}')
        # Its record has the name and a part of the device ID.
        line = await app.sees("[Harness Bulb")
        await app.does(f'tap "{line[line.index("[") + 1 : line.index("]")]}"')
        await app.sees("Room: <")
        await app.does("type Room Study")
        await app.does("tap Done")
        await app.sees("The setup has succeeded.")
        (accessory,) = (await app.hapctl("show"))["home"]["accessories"]
        assert accessory["name"] == "Harness Bulb", accessory
        # hapctl attaches to the hub in the app's process, and writes to the bulb through it.
        await app.hapctl("set", f"{accessory['name']}/On", "on")
        (reading,) = (await app.hapctl("get", f"{accessory['name']}/On"))["values"]
        assert reading["value"] is True, reading
    finally:
        await app.process.clean_up()
