/// The names of the commands, in the order in which messages list them.
package enum CommandName: String, CaseIterable, Sendable {
  case set, identify, press, trigger, obstruct, jam, tamper, battery, stall, advance, fault, announce, offline, online
  case radio, disconnect, unpair, reboot
  case powerCut = "power-cut"
  case factoryReset = "factory-reset"
  case conduct, replace, add, remove, list, status, stop
}

extension CommandForm {
  /// The form of every command, in the order of the names. The parser, `hapsim ctl`, scenarios, the OpenAPI document and the reference page use this table.
  package static let all: [CommandForm] = [
    CommandForm(
      .set, [.accessory, .service, .characteristic, .value],
      "gives a value by hand, also one that controllers can't write. `characteristic` is a name, type or description, or an address such as `\"1.10\"`. A value may be the catalogue's word for it (`\"open\"`)"
    ),
    CommandForm(.identify, [.accessory], "identifies, as a controller would"),
    CommandForm(
      .press, [.accessory, .service, .press], "presses a button: `single`, the default, `double` or `long`"),
    CommandForm(.trigger, [.accessory, .service], "makes a sensor notice something once, or sets off an alarm"),
    CommandForm(
      .obstruct, [.accessory, .service, .optionalFlag],
      "puts an obstacle in the way of a door (`true`, the default), or removes it"),
    CommandForm(
      .jam, [.accessory, .service, .optionalFlag], "jams a mechanism (`true`, the default), or frees it"),
    CommandForm(
      .tamper, [.accessory, .service, .optionalFlag], "opens the housing (`true`, the default), or closes it"),
    CommandForm(
      .battery, [.accessory, .service, .percent], "charges or drains a battery to a percentage from 0 to 100"),
    CommandForm(
      .stall, [.accessory, .service, .characteristic, .optionalFlag],
      "makes the device leave reads of a characteristic unanswered (`true`, the default), so that they end with -70408 after 9 s; or answer them again"
    ),
    CommandForm(
      .advance, [.duration], isScenarioStep: false,
      "advances simulated time under `--virtual-time`: `\"90s\"`, `\"1.5h\"`, `\"30d\"`, `\"10y\"` at most. The answer has the [time](time.md) `now`, in seconds"
    ),
    CommandForm(
      .fault, [.accessory, .fault, .optionalFlag],
      "switches a [fault](faults.md) on, or off with `\"value\": false`: `\"latency:by=2s\"`, or an object with `fault` and its parameters"
    ),
    CommandForm(
      .announce, [.accessory, .flag],
      "`false` withdraws the record from the network and changes nothing else; `true` announces it again"),
    CommandForm(
      .offline, [.accessoryWord],
      "a bridge loses an accessory: reads and writes of it end with -70402, and it sends no events. Its ids stay, and a person can still do something to it"
    ),
    CommandForm(
      .online, [.accessoryWord], "a bridge finds an accessory again; subscribers are notified of what changed"),
    CommandForm(
      .radio, [.accessory, .flag],
      "`false` takes it off the network: mDNS goodbye, connections reset, the port closed. `true` brings it back at the same port"
    ),
    CommandForm(
      .disconnect, [.accessory, .controller],
      "closes the connections of a controller, by its pairing identifier, or all; the answer has the number of closed `connections`"
    ),
    CommandForm(
      .unpair, [.accessory, .controller],
      "removes the pairing of a controller, by its identifier, or all, and ends their sessions; all are removed if no admin would be left; the answer has the number of removed `pairings`"
    ),
    CommandForm(
      .reboot, [.accessory],
      "mDNS goodbye, connections closed, then a start from the stored state, at the same port"),
    CommandForm(.powerCut, [.accessory], "as `reboot`, but without a goodbye; connections are reset"),
    CommandForm(
      .factoryReset, [.accessory],
      "forgets controllers and values, and starts with a new `deviceID`, which is in the answer; code and setup ID stay, as with `hapsim reset`"
    ),
    CommandForm(
      .conduct, [.accessory, .conduct],
      "restarts with another [conduct](conduct.md), a preset's name or fields as in a profile, and keeps it while the process runs"
    ),
    CommandForm(
      .replace, [.accessory, .profile],
      "serves another profile of the same accessory, by its path. Controllers stay connected and subscribed, ids stay, and `c#` rises if more than values changed; the answer has it as `configurationNumber`. Behaviours of unchanged services [continue](behaviours.md); others start again. Identity, setup code and name on the network are taken from it at the next start only"
    ),
    CommandForm(
      .add, [.profile],
      "serves one more accessory, at any free port, with the faults of its profile; the answer has what a controller needs to find it and to pair with it"
    ),
    CommandForm(
      .remove, [.accessoryWord],
      "stops an accessory and forgets it; its state stays in the state folder, for when it is added again"),
    CommandForm(
      .list, [.accessory], isScenarioStep: false,
      "the accessories, also those of bridges; the simulated `time`, and as `control` the address of the page"),
    CommandForm(
      .status, [.accessory], isScenarioStep: false, "the state of the accessories, with every value"),
    CommandForm(.stop, [.accessory], isScenarioStep: false, "stops one accessory, or all and the process"),
  ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  package static subscript(_ name: CommandName) -> CommandForm {
    guard let form = byName[name] else { preconditionFailure("the table of commands has no row for \(name.rawValue)") }
    return form
  }
}

extension CommandName {
  /// As JSON and command lines write them.
  package static let words = allCases.map(\.rawValue)
}
