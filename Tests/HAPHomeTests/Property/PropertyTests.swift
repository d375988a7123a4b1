import Foundation
import HAPModel
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

/// Random commands on random models.
///
/// `HAPHOME_COMMANDS` is the number of commands. `HAPHOME_SEED` runs one seed, which a failure prints.
@Suite("Random commands on random models")
struct PropertyTests {
  private static let commandsPerRun = 200
  private static let environment = ProcessInfo.processInfo.environment
  private static let commands = environment["HAPHOME_COMMANDS"].flatMap { Int($0) } ?? 20_000

  @Test("All rules hold after each command, and changes describe all that it changed")
  func randomCommands() throws {
    let seeds: [UInt64] =
      Self.environment["HAPHOME_SEED"].flatMap { UInt64($0) }.map { [$0] }
      ?? (1...UInt64(max(Self.commands / Self.commandsPerRun, 1))).map { $0 }
    var accepted: [HomeCommandName: Int] = [:]
    var refused: [HomeCommandName: Int] = [:]
    var changes: [HomeChangeName: Int] = [:]
    var rules: Set<HomeRule> = []
    for seed in seeds {
      var run = PropertyRun(seed: seed)
      try run.run(commands: Self.commandsPerRun)
      accepted.merge(run.replay.accepted, uniquingKeysWith: +)
      refused.merge(run.replay.refused, uniquingKeysWith: +)
      changes.merge(run.replay.changes, uniquingKeysWith: +)
      rules.formUnion(run.replay.rules)
    }
    guard seeds.count > 1 else { return }
    for kind in HomeCommandName.allCases {
      let counts = (accepted[kind] ?? 0, refused[kind] ?? 0)
      #expect(counts.0 >= seeds.count / 10 && counts.1 >= seeds.count / 10, "\(kind): \(counts)")
    }
    // The engine alone reports the first two, and a shared home the last one.
    let expected = Set(HomeChangeName.allCases).subtracting([.actionSetExecuted, .triggerFired, .copyRenewed])
    #expect(Set(changes.keys) == expected)
    // The other rules refuse nothing.
    #expect(rules == Set(HomeRule.allCases).subtracting([.n3, .n7, .r2, .a1, .t5]))
    let sums = (accepted.values.reduce(0, +), refused.values.reduce(0, +))
    print("random commands: \(sums.0) accepted, \(sums.1) refused, \(changes.values.reduce(0, +)) changes")
  }

  @Test("A wrong command is found, and the failure lists only the commands that it needs")
  func shortestList() throws {
    // Zones keep removed rooms.
    let broken: PropertyReplay.Performer = { (model, command, context, generator) throws(HomeError) in
      var copy = model
      let changes = try copy.perform(command, in: context, using: &generator).filter {
        if case .removeRoom = command, case .roomRemovedFromZone = $0.detail { false } else { true }
      }
      model.apply(changes)
      return changes
    }
    let failure = try #require(throws: PropertyFailure.self) {
      for seed in 1...50 as ClosedRange<UInt64> {
        var run = PropertyRun(seed: seed, perform: broken)
        try run.run(commands: Self.commandsPerRun)
      }
    }
    #expect(
      failure.steps.map(\.command.name) == [.addHome, .addRoom, .addZone, .addRoomToZone, .removeRoom]
        || failure.steps.map(\.command.name) == [.addHome, .addZone, .addRoom, .addRoomToZone, .removeRoom])
    #expect(failure.violation.contains("refers to an object that does not exist: R2: a room of a zone"))
    #expect(failure.description.contains("seed \(failure.seed)"))
  }
}
