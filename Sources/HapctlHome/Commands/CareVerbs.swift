import HAPAlmanac
import HAPCommandLine
import HAPHome
import HAPHubLink
import HAPWire

/// The commands that check a home and its hub, and that help a shell.
extension HomeVerb {
  static let care = [
    HomeVerb(
      "lint", "report names that people can't speak or tell apart, and triggers that do nothing",
      discussion: [
        "It reports names that differ only in a number, that are the name of a type such as light, that have one letter or only digits, that have symbols, and scenes that sound like a room. It also reports enabled triggers without a scene that sets a value. The exit status is 1 if there is one. Names of triggers are not spoken."
      ],
      examples: [("hapctl home lint", "checks the names of the primary home")],
      json:
        "`{\"findings\": [{\"rule\", \"kind\", \"id\", \"name\", \"other\", \"message\"}]}`; `rule` is \(NameFinding.Rule.allCases.map(\.rawValue).joined(separator: ", "))"
    ) { session, _ in
      let findings = NameLint(try session.home).findings
      if session.isJSON {
        session.print(.object([("findings", .list(findings.map(\.node)))]))
      } else {
        for finding in findings { session.print(finding.message) }
        if findings.isEmpty {
          session.print("All names can be spoken and told apart, and each enabled trigger does something.")
        }
      }
      return findings.isEmpty ? .well : .problem
    },
    HomeVerb(
      "status", "show the hub, its devices and its apps",
      examples: [("hapctl home status", "shows which devices can be reached")],
      json:
        "`{\"version\", \"processID\", \"started\", \"devices\": [{\"device\", \"names\", \"reachable\", \"why\", \"address\", \"subscriptions\"}], \"apps\": [{\"name\", \"processID\", \"subscriptions\", \"gaps\"}], \"problems\": [TEXT…]}`",
      need: .accessories
    ) { session, _ in
      guard case .status(let status) = try await session.link.ask(.status) else { throw session.wrongAnswer }
      let accessories = try session.snapshot.model.homes.flatMap(\.accessories)
      let names = status.devices.map { device in
        accessories.filter { $0.deviceID == device.device }.map(\.name.text)
      }
      if session.isJSON {
        session.print(status.node(names))
      } else {
        for line in status.lines(names) { session.print(line) }
      }
      return .well
    },
    HomeVerb(
      HomeCompletion.verb, "print the words that can follow, one on each line, for a shell", [.any(.text, "WORD")],
      discussion: [
        "The words are those after 'hapctl home'; the last one is incomplete, and may be empty. Write -- before them.",
        "The completions that 'hapctl --completions SHELL' prints call this command for names. It makes no hub: without homes, it prints only words of commands.",
      ],
      examples: [("hapctl home complete -- room remove Ki", "prints Kitchen")], json: "`{\"words\": [TEXT…]}`"
    ) { session, arguments in
      HomeCompletion(try? session.snapshot.model, homeText: session.homeText).show(arguments, session.console)
      return .well
    },
  ]
}

extension Instant {
  /// The time in UTC without a fraction of a second: "2026-06-01T15:00:00Z".
  fileprivate var toSecond: String { "\(Instant(seconds: Int64(seconds)))" }
}

extension NameFinding {
  fileprivate var node: JSONNode {
    .object([
      ("rule", .text(rule.rawValue)), ("kind", .text(object.kind.title)), ("id", .id(object.id)),
      ("name", .text(object.name)), ("other", other.map { .text($0.name) } ?? JSONNode(.null)),
      ("message", .text(message)),
    ])
  }
}

extension HubStatus {
  /// - Parameter names: the names of the accessories of each device.
  fileprivate func node(_ names: [[String]]) -> JSONNode {
    let devices = zip(self.devices, names).map { device, names in
      JSONNode.object([
        ("device", .text(device.device.text)), ("names", .list(names.map { .text($0) })),
        ("reachable", .flag(device.isReachable)), ("why", device.why.map { .text($0) } ?? JSONNode(.null)),
        ("address", device.address.map { .text($0) } ?? JSONNode(.null)),
        ("subscriptions", .integer(device.subscriptions)),
      ])
    }
    let apps = self.apps.map { app in
      JSONNode.object([
        ("name", .text(app.name)), ("processID", app.processID.map { .integer($0) } ?? JSONNode(.null)),
        ("subscriptions", .integer(app.subscriptions)), ("gaps", .integer(app.gaps)),
      ])
    }
    return .object([
      ("version", .text(version)), ("processID", .integer(processID)), ("started", .text(started.description)),
      ("devices", .list(devices)), ("apps", .list(apps)), ("problems", .list(problems.map { .text($0) })),
    ])
  }

  fileprivate func lines(_ names: [[String]]) -> [String] {
    var lines = ["hub \(version), process \(processID), since \(started.toSecond)"]
    for (device, names) in zip(devices, names) {
      let state =
        device.isReachable
        ? "reachable\(device.address.map { " at \($0)" } ?? "")" : "not reachable\(device.why.map { ": \($0)" } ?? "")"
      lines.append("device \(device.device) (\(names.joined(separator: ", "))): \(state)")
    }
    for app in apps {
      let process = app.processID.map { " (process \($0))" } ?? ""
      let gaps = app.gaps == 0 ? "" : ", lost events \(app.gaps) times"
      lines.append("app \(app.name)\(process): \(app.subscriptions) subscriptions\(gaps)")
    }
    return lines + problems.map { "problem: \($0)" }
  }
}
