import HAPCrypto
import HAPLoop
import HAPPairing
import HAPWire
import Testing

@testable import HAPTransport

/// Tests the state machine of a persistent connection, input by input.
@Suite struct ReconnectMachineTests {
  private static let address = SocketAddress(host: .loopbackV4, port: 80)
  private static let final = ClientError.pairing(
    PairingFailure(step: 4, cause: .refused(PairingError.authentication.rawValue)))
  private static let temporary = ClientError.closed(during: "GET /accessories")

  /// Without jitter: the random byte is 0.
  private static let machine = ReconnectMachine(
    searchTime: .seconds(10), backOff: BackOff(first: .seconds(1), longest: .seconds(4)),
    random: RandomSource { $0.initializeMemory(as: UInt8.self, repeating: 0) })

  private static let inputs: [(name: String, input: ReconnectMachine.Input)] = [
    ("start", .start), ("timer", .timerFired(hasRoom: true)), ("timer, full", .timerFired(hasRoom: false)),
    ("room", .roomFreed), ("found", .found([address])), ("connected", .connected), ("settled", .settled),
    ("ended", .ended(temporary)), ("ended for good", .ended(final)), ("closed", .closed), ("hinted", .hinted),
  ]

  /// The inputs that lead to a state.
  private static let ways: [ReconnectMachine.State: [ReconnectMachine.Input]] = [
    .new: [], .searching: [.start], .connecting: [.start, .found([address])],
    .settling: [.start, .found([address]), .connected], .ready: [.start, .found([address]), .connected, .settled],
    .waiting: [.start, .timerFired(hasRoom: true)],
    .full: [.start, .timerFired(hasRoom: true), .timerFired(hasRoom: false)], .over: [.closed],
  ]

  private static func machine(in state: ReconnectMachine.State) throws -> ReconnectMachine {
    var machine = machine
    for input in try #require(ways[state]) { _ = machine.take(input) }
    try #require(machine.state == state)
    return machine
  }

  /// A short description of an output.
  private static func text(_ output: ReconnectMachine.Output) -> String {
    switch output {
    case .startTimer(let time): "timer \(time / .seconds(1)) s"
    case .stopTimer: "stop timer"
    case .search: "search"
    case .connect(let addresses): "connect \(addresses.map { "\($0)" })"
    case .settle: "settle"
    case .becomeReady: "ready"
    case .release: "release"
    case .reportLoss(let error, let nextTry): "lost: \(error), \(nextTry / .seconds(1)) s"
    case .finish(let error): "finish \(error.map { "\($0)" } ?? "-")"
    }
  }

  private typealias Step = (to: ReconnectMachine.State, outputs: [String])

  private static let lost: Step = (
    .waiting, ["release", "lost: \(temporary), 1.0 s", "timer 1.0 s"]
  )
  private static let refused: Step = (.over, ["finish \(final)"])
  private static let closed: Step = (.over, ["finish -"])
  private static let search: Step = (.searching, ["timer 10.0 s", "search"])
  private static let searchLost: Step = (
    .waiting, ["release", "lost: finding the accessory: no answer in time, 1.0 s", "timer 1.0 s"]
  )

  /// All inputs that have an effect.
  private static let table: [ReconnectMachine.State: [String: Step]] = [
    .new: ["start": search, "closed": closed],
    .searching: [
      "timer": searchLost, "timer, full": searchLost, "closed": closed,
      "found": (.connecting, ["stop timer", "connect [\"127.0.0.1:80\"]"]),
    ],
    .connecting: ["connected": (.settling, ["settle"]), "ended": lost, "ended for good": refused, "closed": closed],
    .settling: ["settled": (.ready, ["ready"]), "ended": lost, "ended for good": refused, "closed": closed],
    .ready: ["ended": lost, "ended for good": refused, "closed": closed],
    .waiting: ["timer": search, "hinted": search, "timer, full": (.full, []), "closed": closed],
    .full: ["room": search, "closed": closed],
    .over: [:],
  ]

  @Test(
    "Each input in each state has the effect in the table, and none if it is missing there",
    arguments: ReconnectMachine.State.allCases)
  func everyInput(_ state: ReconnectMachine.State) throws {
    let row = try #require(Self.table[state])
    #expect(Set(row.keys).isSubset(of: Self.inputs.map(\.name)))
    for (name, input) in Self.inputs {
      var machine = try Self.machine(in: state)
      let step = machine.step
      let outputs = machine.take(input).map(Self.text)
      if let expected = row[name] {
        #expect(machine.state == expected.to && outputs == expected.outputs, "\(name) in \(state): \(outputs)")
        #expect(machine.step == step + 1, "\(name) in \(state)")
      } else {
        #expect(machine.state == state && outputs.isEmpty && machine.step == step, "\(name) in \(state): \(outputs)")
      }
    }
  }

  @Test("Each failure doubles the delay up to the longest; after a ready session, it starts again")
  func backOff() {
    var machine = Self.machine
    _ = machine.take(.start)
    func waitAfterLoss() -> [String] {
      _ = machine.take(.found([Self.address]))
      return machine.take(.ended(Self.temporary)).map(Self.text).filter { $0.hasPrefix("timer") }
    }
    for seconds in ["1.0", "2.0", "4.0", "4.0"] {
      #expect(waitAfterLoss() == ["timer \(seconds) s"])
      _ = machine.take(.timerFired(hasRoom: true))
    }
    for input in [ReconnectMachine.Input.found([Self.address]), .connected, .settled] { _ = machine.take(input) }
    #expect(machine.lastLoss == nil)
    _ = machine.take(.ended(Self.temporary))
    _ = machine.take(.timerFired(hasRoom: true))
    #expect(waitAfterLoss() == ["timer 2.0 s"], "1 s was the delay after the session")
  }

  @Test("A connection that is never ready does not reset the back-off")
  func settlingFails() {
    var machine = Self.machine
    _ = machine.take(.start)
    var waits: [String] = []
    for _ in 0..<3 {
      for input in [ReconnectMachine.Input.found([Self.address]), .connected] { _ = machine.take(input) }
      waits += machine.take(.ended(Self.temporary)).map(Self.text).filter { $0.hasPrefix("timer") }
      _ = machine.take(.timerFired(hasRoom: true))
    }
    #expect(waits == ["timer 1.0 s", "timer 2.0 s", "timer 4.0 s"])
  }

  @Test("Jitter shortens a delay by at most a quarter")
  func jitter() {
    var machine = ReconnectMachine(
      searchTime: .seconds(10), backOff: BackOff(),
      random: RandomSource { $0.initializeMemory(as: UInt8.self, repeating: 255) })
    for input in [ReconnectMachine.Input.start, .found([Self.address])] { _ = machine.take(input) }
    for case .startTimer(let time) in machine.take(.ended(Self.temporary)) {
      #expect(time > .milliseconds(750) && time < .milliseconds(752))
    }
  }

  /// Checked: this test fails with a machine that does not look at `reconnects`.
  @Test("Without reconnection, the first loss is the end, in each state with a connection")
  func once() {
    for inputs: [ReconnectMachine.Input] in [[], [.connected], [.connected, .settled]] {
      var machine = ReconnectMachine(
        searchTime: .seconds(10), backOff: BackOff(), random: .seeded(1), reconnects: false)
      for input in [.start, .found([Self.address])] + inputs { _ = machine.take(input) }
      let outputs = machine.take(.ended(Self.temporary))
      #expect(machine.state == .over && outputs.count == 1)
      if case .finish(let error?) = outputs[0] { #expect("\(error)" == "\(Self.temporary)") } else { Issue.record() }
    }
  }

  @Test("The reason of the end is kept, and the reason of a loss is kept until the next session")
  func reasons() throws {
    var lost = try Self.machine(in: .ready)
    _ = lost.take(.ended(Self.temporary))
    #expect(lost.lastLoss.map { "\($0)" } == "\(Self.temporary)" && lost.reason == nil)
    var refused = try Self.machine(in: .settling)
    _ = refused.take(.ended(Self.final))
    #expect(refused.reason.map { "\($0)" } == "\(Self.final)")
    _ = refused.take(.closed)
    #expect(refused.reason != nil, "the first end counts")
  }
}
