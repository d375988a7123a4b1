import HAPAttributes
import HAPIP
import HAPLoop
import HAPModel
import HAPReport
import HAPSuite
import HAPTestSupport
import HAPTransport
import HAPWire

@testable import HAPConformance
@testable import HAPExpectation
@testable import HAPTarget

/// Suite cases as YAML text.
enum TinyCase {
  /// - Parameter lines: members of the case other than its steps, such as "needs: [paired]".
  static func text(_ id: String, _ lines: String..., level: String = "must", steps: String...) -> String {
    var text = "  - id: \(id)\n    name: \(id.lowercased())\n    requirement: r\n    level: \(level)\n    section: s\n"
    for line in lines { text += "    \(line)\n" }
    return text + "    steps:\n" + steps.map { "      - \($0)\n" }.joined()
  }

  static func suites(_ cases: [String]) throws -> [Suite] {
    var library = SuiteLibrary()
    let expectations = "expectations: { refused: { any: [{ status: 470 }, { status: 401, deviation: others }] } }\n"
    library.add(
      Array(("area: tiny\ntitle: Tiny\n" + expectations + "cases:\n" + cases.joined()).utf8), file: "tiny.yaml")
    if let problem = library.problems.first { throw problem }
    return library.suites
  }
}

/// The accessory of `TestHome` with a server on the tester's own loop. Confined to its thread.
final class TestedHome: ActionOwner, AccessoryServerOwner, @unchecked Sendable {
  private(set) var server: AccessoryServer!

  init(_ loop: EventLoop, pairings: [Pairing]) throws(LoopError) {
    server = AccessoryServer(TestHome.accessory(pairings: pairings).core, on: loop, owner: self)
    try server.listen(on: [ListeningPlace(.loopbackV4)], port: 0)
  }

  var pairings: [Pairing] { server.core.pairings }

  /// Called before each change is stored.
  var onStore: () -> Void = {}
  /// Whether the accessory ends the connection before it answers an M5.
  var losesM6 = false
  /// Whether the accessory fails to remove pairings.
  var keepsPairings = false

  func store(_ change: StoredChange, done: @escaping (Bool) -> Void) {
    onStore()
    if losesM6, case .upsert = change { _ = server.disconnect { _ in true } }
    if keepsPairings, case .remove = change { return done(false) }
    done(true)
  }
  func keep(_ changes: [(id: AttributeID, value: Value)]) {}
  func advertise(_ advertisement: Advertisement) {}
  func identify(aid: UInt64) {}
  func wrote(_ write: ServiceWrite) {}
  func read(_ ids: [AttributeID], ticket: Ticket) {}
  func report(_ report: AccessoryReport) {}
}

/// The configuration of a small run.
struct TinyRun: Sendable {
  var cases: [String]
  var pairings: [Pairing] = []
  var code: String? = TestHome.code
  var options = TestOptions()
  var baseline: Baseline?
  var answerLimit = Duration.seconds(20)
  /// Whether to cancel the run when its first case has begun.
  var endsAtFirstCase = false
  /// Whether to cancel the run when the accessory stores its pairing, before M6.
  var endsInPairSetup = false
  /// Whether the accessory ends the connection before M6.
  var losesM6 = false
  /// Whether the accessory fails to remove pairings.
  var keepsPairings = false

  init(_ cases: String...) { self.cases = cases }

  /// The results of a run.
  struct Report: Sendable {
    var result: Runner.Result
    var events: [RunEvent]
    var pairings: [Pairing] = []
    var isForeign: Bool

    func outcome(_ id: String) -> CaseOutcome? { result.outcomes.first { $0.description.id == id } }
    func verdict(_ id: String) -> Verdict? { outcome(id)?.verdict }
    var lost: (reason: String, bytes: [UInt8])? {
      for case .lost(let reason, _, let bytes) in events { return (reason, bytes) }
      return nil
    }
  }

  /// Runs the cases against `TestHome`.
  func run() async throws -> Report {
    try await withLoop { loop in
      try await LoopActor(loop).run { actor in
        let home = try TestedHome(loop, pairings: pairings)
        home.losesM6 = losesM6
        home.keepsPairings = keepsPairings
        let address = SocketAddress(host: try IPAddress("127.0.0.1"), port: home.server.port)
        var report = try await run(against: address, on: loop) { task in
          if endsInPairSetup { home.onStore = { task.cancel() } }
        }
        report.pairings = home.pairings
        home.server.stop(withReset: true)
        return report
      }
    }
  }

  /// Whether a record or a ready line declares the target an accessory.
  var isDeclared = true

  /// Runs the cases against the server at `address`.
  nonisolated(nonsending) func run(
    against address: SocketAddress, on loop: EventLoop, begun: (Task<Runner.Result, Never>) -> Void = { _ in }
  ) async throws -> Report {
    let device = TestedAccessory(on: loop, addresses: [address], code: code, random: .seeded(options.seed))
    let world = CaseWorld()
    world.answerLimit = answerLimit
    let box = EventBox()
    let runner = Runner(device, world: world, options: options, baseline: baseline) { event in box.add(event) }
    let look = try await runner.look(isDeclared: isDeclared)
    let circumstances = Plan.Circumstances(
      hasCode: code != nil, isForeign: look.isForeign, isBorrowed: look.isBorrowed, noMulticast: "no multicast here",
      hooks: NoHooks(), claims: Claims())
    let plan = Plan(try TinyCase.suites(cases), options: options, circumstances: circumstances) { _ in true }
    let task = Task { await runner.run(plan, header: RunHeader(version: "0", target: "tiny", seed: options.seed)) }
    begun(task)
    if endsAtFirstCase { box.onCase = { task.cancel() } }
    let result = await task.value
    return Report(result: result, events: box.events, isForeign: look.isForeign)
  }
}

/// Collects events on the loop.
private final class EventBox: @unchecked Sendable {
  private(set) var events: [RunEvent] = []
  var onCase: () -> Void = {}

  func add(_ event: RunEvent) {
    events.append(event)
    if case .caseBegan = event { onCase() }
  }
}

extension TinyRun {
  /// Inspects the accessory as a run does before it makes its plan.
  nonisolated(nonsending) func look(
    at address: SocketAddress, on loop: EventLoop
  ) async throws(Runner.Unreachable) -> (isForeign: Bool, isBorrowed: Bool) {
    let device = TestedAccessory(on: loop, addresses: [address], code: code, random: .seeded(options.seed))
    let world = CaseWorld()
    world.answerLimit = answerLimit
    let runner = Runner(device, world: world, options: options) { _ in }
    return try await runner.look(isDeclared: isDeclared)
  }
}
