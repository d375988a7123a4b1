import HAPCommandLine
import HAPModel
import HAPProtocol
import HAPStore
import HAPWire

extension Command {
  private static let count = Option<Int>("count", "N", in: 1...1_000_000, "end after so many events")

  /// `hapctl watch`
  static let watch = Command(
    "watch", "subscribe, and show every event until the connection ends or Ctrl-C",
    operands: .some(label: "TARGET[/CHARACTERISTIC]…", count: 1...1000),
    options: [count.definition, CommonOptions.json.definition] + CommonOptions.all,
    discussion: [
      "Without a characteristic, all that have events are watched. With --json each change is an object on a line of its own."
    ],
    examples: [
      ("hapctl watch garage", "everything that happens"), ("hapctl watch button --count 1", "waits for a press"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let references = arguments.operands.map(Reference.init)
    let visit = try Visit("watch", to: try oneTarget(references), arguments, console)
    let most = try arguments.value(count)
    let isJSON = arguments[CommonOptions.json]
    return visit.withAccessory { accessory in
      var mirror = try await accessory.mirror()
      let ids = try mirror.database.ids(forPaths: references.compactMap(\.path), else: .events)
      guard !ids.isEmpty else { throw Failure(.problem, "the accessory has nothing that can be watched") }
      let (refusals, count) = try await accessory.subscribe(ids)
      for refusal in refusals { console.complain("hapctl watch: \(refusal)") }
      guard count > 0 else { return .problem }
      if !isJSON { console.print("Watching \(count) characteristics of \(shown(accessory.pairing.alias)).") }
      var seen = 0
      for await event in accessory.client.events {
        var reader = AttributeReader()
        let entries: [CharacteristicEntry]
        do { entries = try CharacteristicEntry.list(event.body, &reader) } catch {
          console.complain("hapctl watch: an event can't be read: \((error as? JSONProblem)?.message ?? "\(error)")")
          continue
        }
        _ = mirror.take(entries, of: "an event")
        for entry in entries {
          console.print(
            isJSON ? JSONWriter.text { write(entry, mirror.database, to: &$0) } : text(entry, mirror.database))
          seen += 1
          if seen == most { return .well }
        }
      }
      throw Failure(.cannotRun, "the accessory closed the connection")
    }
  }
}
