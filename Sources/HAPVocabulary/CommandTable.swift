/// The names of the commands, in the order in which messages list them.
package enum CommandName: String, CaseIterable, Sendable {
  case set, identify, press, trigger, obstruct, jam, tamper, battery, stall, advance, fault, announce, offline, online
  case radio, disconnect, unpair, reboot
  case powerCut = "power-cut"
  case factoryReset = "factory-reset"
  case openWindow = "open-window"
  case closeWindow = "close-window"
  case removeFabric = "remove-fabric"
  case quirks, replace, add, remove, list, status, stop
}

extension CommandForm {
  /// The form of every command, in the order of the names. The parser, `hapsim ctl`, scenarios, the OpenAPI document and the reference page use this table.
  package static let all: [CommandForm] = [
    CommandForm(
      .set, [.accessory, .service, .characteristic, .value],
      "sets a value, even if controllers can't write it. `characteristic` is a name, type or description, or an address such as `\"1.10\"`. A value may be its name in the catalogue (`\"open\"`)"
    ),
    CommandForm(.identify, [.accessory], "makes the accessory identify itself, as a controller would"),
    CommandForm(
      .press, [.accessory, .service, .press], "presses a button: `single`, the default, `double` or `long`"),
    CommandForm(.trigger, [.accessory, .service], "triggers a sensor or an alarm once"),
    CommandForm(
      .obstruct, [.accessory, .service, .optionalFlag],
      "places an obstacle in front of a door (`true`, the default), or removes it"),
    CommandForm(
      .jam, [.accessory, .service, .optionalFlag], "jams a mechanism (`true`, the default), or frees it"),
    CommandForm(
      .tamper, [.accessory, .service, .optionalFlag], "opens the housing (`true`, the default), or closes it"),
    CommandForm(
      .battery, [.accessory, .service, .percent], "charges or drains a battery to a percentage from 0 to 100"),
    CommandForm(
      .stall, [.accessory, .service, .characteristic, .optionalFlag],
      "makes reads of a characteristic time out with -70408 after 9 s (`true`, the default), or answers them again"
    ),
    CommandForm(
      .advance, [.duration], isScenarioStep: false,
      "advances simulated time under `--virtual-time`: `\"90s\"`, `\"1.5h\"`, `\"30d\"`, `\"10y\"` at most. The answer contains the [time](../guides/time.md) `now`, in seconds"
    ),
    CommandForm(
      .fault, [.accessory, .fault, .optionalFlag],
      "switches a [fault](faults.md) on, or off with `\"value\": false`. `fault` is text such as `\"latency:by=2s\"`, or an object with `fault` and its parameters. The answer names protocols of the accessory on which the fault has no effect, in `withoutEffectOn`"
    ),
    CommandForm(
      .announce, [.accessory, .flag],
      "`false` withdraws the accessory's mDNS record from the network and changes nothing else; `true` announces it again"
    ),
    CommandForm(
      .offline, [.accessoryWord],
      "makes a bridged accessory unreachable: reads and writes of it end with -70402, and it sends no events. Its IDs stay, and other commands still affect it"
    ),
    CommandForm(
      .online, [.accessoryWord], "makes a bridged accessory reachable again; subscribers are notified of changed values"
    ),
    CommandForm(
      .radio, [.accessory, .flag],
      "`false` disconnects the accessory from the network: it sends an mDNS goodbye, resets the connections and closes the port. `true` connects it again at the same port"
    ),
    CommandForm(
      .disconnect, [.accessory, .controller],
      "closes the connections of the controller with this pairing identifier, or of all controllers; the answer contains the number of closed `connections`"
    ),
    CommandForm(
      .unpair, [.accessory, .controller],
      "removes the pairing of the controller with this identifier, or all pairings, and ends the sessions. If no admin would be left, all pairings are removed. The answer contains the number of removed `pairings`"
    ),
    CommandForm(
      .reboot, [.accessory],
      "sends an mDNS goodbye, closes the connections, and starts from the stored state at the same port"),
    CommandForm(.powerCut, [.accessory], "like `reboot`, but without a goodbye; connections are reset"),
    CommandForm(
      .factoryReset, [.accessory],
      "deletes pairings and values, and restarts with a new `deviceID`, which the answer contains; setup code and setup ID stay, as with `hapsim reset`"
    ),
    CommandForm(
      .openWindow, [.accessory, .window, .seconds],
      "opens a commissioning window of an accessory that is served [over Matter](../guides/matter.md#a-second-controller), for 180 to 900 seconds (default: 180). `basic`, the default, is a window with the accessory's own passcode; `enhanced` has a random passcode and discriminator of its own. The answer contains the `window` with its `payload` for a QR code and its `manualCode`"
    ),
    CommandForm(
      .closeWindow, [.accessory],
      "closes the commissioning window, also one that a controller has opened, and undoes a commissioning that is not complete"
    ),
    CommandForm(
      .removeFabric, [.accessory, .fabric],
      "removes the fabric of Matter with this index, as a controller's RemoveFabric does: its sessions, subscriptions and access entries end. After the last fabric, the accessory's own window opens"
    ),
    CommandForm(
      .quirks, [.accessory, .quirks],
      "restarts the accessory with other [quirks](quirks.md): a preset's name, or fields as in a profile. They apply until the process ends"
    ),
    CommandForm(
      .replace, [.accessory, .profile],
      "serves another profile of the same accessory, by its path. Controllers stay connected and subscribed, and IDs stay. If more than values changed, `c#` rises; the answer contains it as `configurationNumber`. Behaviours of unchanged services [continue](behaviours.md); others restart. Identity, setup code and name on the network change only at the next start"
    ),
    CommandForm(
      .add, [.profile],
      "serves one more accessory, at a free port, with the faults of its profile. The answer contains the data that a controller needs to find it and to pair"
    ),
    CommandForm(
      .remove, [.accessoryWord],
      "stops and removes an accessory; its state stays in the state folder and is used if the accessory is added again"),
    CommandForm(
      .list, [.accessory], isScenarioStep: false,
      "returns the accessories, including those of bridges, the simulated `time`, and the address of the page as `control`"
    ),
    CommandForm(
      .status, [.accessory], isScenarioStep: false, "returns the state of the accessories, with every value"),
    CommandForm(.stop, [.accessory], isScenarioStep: false, "stops one accessory, or all and the process"),
  ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  package static subscript(_ name: CommandName) -> CommandForm {
    guard let form = byName[name] else { preconditionFailure("the table of commands has no row for \(name.rawValue)") }
    return form
  }
}

extension CommandName {
  /// The names as JSON and command lines write them.
  package static let words = allCases.map(\.rawValue)
}
