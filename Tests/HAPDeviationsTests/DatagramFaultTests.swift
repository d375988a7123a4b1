import HAPModel
import HAPWire
import Testing

@testable import HAPDeviations

/// Checked: these tests fail if the share is ignored, if a count is never used up, and if held datagrams do not pass
/// after the next one.
@Suite("Faults of datagrams") struct DatagramFaultTests {
  private typealias Shaper = DatagramShaper<Int>
  private let library = FaultLibrary.builtIn

  /// A network with one datagram per millisecond, numbered from 0.
  private struct Network {
    var shaper = Shaper()
    var script: DatagramScript
    /// The numbers of the datagrams that arrived, in order, with the time in milliseconds.
    private(set) var arrived: [(number: UInt8, time: Int)] = []

    init(_ texts: [String], seed: UInt64 = 1) throws {
      script = DatagramScript(seed: seed)
      for text in texts {
        let fault = try FaultLibrary.builtIn.choice(text)
        if let datagrams = fault.datagrams { script.add(fault.name, datagrams) }
        if let network = fault.network { shaper.network = shaper.network.joined(with: network) }
      }
    }

    mutating func send(_ count: Int, _ direction: DatagramDirection = .inbound, from first: Int = 0) {
      for number in first..<first + count {
        wait(until: number)
        take(shaper.pass(.init([UInt8(number), 0, 0, 0], 7, direction), &script, at: .milliseconds(number)), number)
      }
    }

    mutating func wait(until end: Int = 100_000) {
      while let deadline = shaper.nextDeadline, deadline <= .milliseconds(end) {
        take(shaper.due(at: deadline), Int(deadline / .milliseconds(1)))
      }
    }

    private mutating func take(_ datagrams: [Shaper.Datagram], _ time: Int) {
      arrived += datagrams.map { ($0.bytes[0], time) }
    }

    var numbers: [UInt8] { arrived.map(\.number) }
  }

  @Test("Without a fault, each datagram passes at once") func none() throws {
    var network = try Network([])
    network.send(5)
    #expect(network.numbers == [0, 1, 2, 3, 4] && network.arrived.map(\.time) == [0, 1, 2, 3, 4])
    #expect(network.shaper.isIdle)
  }

  @Test("Datagrams of the direction are lost, up to the count; then none is") func drop() throws {
    var network = try Network(["drop-datagrams:direction=in:count=3"])
    network.send(2, .outbound)
    network.send(5, from: 2)
    #expect(network.numbers == [0, 1, 5, 6])
    var both = try Network(["drop-datagrams"])
    both.send(3)
    both.send(3, .outbound, from: 3)
    #expect(both.numbers == [])
  }

  @Test("A share is selected at random, and a seed repeats the selection") func share() throws {
    var (one, two, other) = (
      try Network(["drop-datagrams:share=30"]), try Network(["drop-datagrams:share=30"]),
      try Network(["drop-datagrams:share=30"], seed: 2)
    )
    one.send(250)
    two.send(250)
    other.send(250)
    #expect((150...200).contains(one.numbers.count) && one.numbers == two.numbers && one.numbers != other.numbers)
  }

  @Test("A datagram arrives twice, the second time after the given time") func duplicate() throws {
    var network = try Network(["duplicate-datagrams:count=1:by=2ms", "drop-datagrams:direction=out"])
    network.send(4)
    #expect(network.numbers == [0, 1, 0, 2, 3] && network.arrived[2].time == 2)
    var atOnce = try Network(["duplicate-datagrams"])
    atOnce.send(2)
    #expect(atOnce.numbers == [0, 0, 1, 1])
  }

  @Test("Late datagrams are overtaken") func delay() throws {
    var network = try Network(["delay-datagrams:count=1:by=3ms"])
    network.send(5)
    network.wait()
    #expect(network.numbers == [1, 2, 0, 3, 4] && network.arrived[2].time == 3)
  }

  @Test("A datagram waits for the next one of its direction, but not forever") func reorder() throws {
    var network = try Network(["reorder-datagrams:share=100:count=2:by=10ms"])
    network.send(1)
    network.send(1, .outbound, from: 1)
    network.send(2, from: 2)
    #expect(network.numbers == [2, 0, 3])
    network.wait()
    #expect(network.numbers == [2, 0, 3, 1] && network.arrived[3].time == 11)
  }

  @Test("Exactly one bit of a datagram is flipped, and an empty one does no harm") func corrupt() throws {
    var script = DatagramScript(seed: 3)
    script.add("corrupt", try #require(try library.choice("corrupt-datagrams").datagrams))
    var shaper = Shaper()
    var changed: Set<Int> = []
    for _ in 0..<200 {
      let passed = shaper.pass(.init([UInt8](repeating: 0, count: 10), 7, .outbound), &script, at: .zero)
      let bytes = try #require(passed.first).bytes
      #expect(passed.count == 1 && bytes.reduce(0) { $0 + $1.nonzeroBitCount } == 1)
      changed.insert(bytes.firstIndex { $0 != 0 } ?? -1)
    }
    #expect(changed == Set(0..<10))
    #expect(shaper.pass(.init([], 7, .outbound), &script, at: .zero).first?.bytes == [])
  }

  @Test("Acknowledgements are withheld up to the count, and datagrams pass") func acknowledgements() throws {
    var network = try Network(["withhold-acknowledgements:count=2"])
    network.send(3)
    #expect(network.numbers == [0, 1, 2])
    #expect((0..<4).map { _ in network.script.withholdsAcknowledgement() } == [true, true, false, false])
  }

  @Test("A fault that is switched on again counts from the beginning; one that is off has no effect") func again()
    throws
  {
    var network = try Network(["drop-datagrams:count=1"])
    network.send(2)
    network.script.add("drop-datagrams", try #require(try library.choice("drop-datagrams:count=1").datagrams))
    network.send(2, from: 2)
    #expect(network.numbers == [1, 3])
    network.script.add("drop-datagrams", try #require(try library.choice("drop-datagrams").datagrams))
    network.script.remove("drop-datagrams")
    network.send(1, from: 4)
    #expect(network.numbers == [1, 3, 4] && network.script.isEmpty)
  }

  @Test("Faults of the network delay datagrams in order, or lose them") func network() throws {
    var late = try Network(["latency:by=5ms:jitter=20ms", "latency-in:by=2ms"])
    late.send(20, .outbound)
    late.wait()
    #expect(late.numbers == (0..<20).map { UInt8($0) } && late.arrived.allSatisfy { $0.time >= Int($0.number) + 5 })
    late.send(1, .inbound, from: 100)
    late.wait(until: 102)
    #expect(late.arrived.last?.time == 102)
    var silent = try Network(["stall"])
    silent.send(1, .outbound)
    silent.send(1, .inbound, from: 1)
    #expect(silent.numbers == [1])
    var deaf = try Network(["deaf"])
    deaf.send(1, .outbound)
    deaf.send(1, .inbound, from: 1)
    #expect(deaf.numbers == [0])
  }

  @Test("When the faults end, all that waits passes in its order; memory stays bounded") func flush() throws {
    var network = try Network(["delay-datagrams:by=1h"])
    for number in 0..<Shaper.mostWaiting + 10 {
      #expect(network.shaper.pass(.init([UInt8(number % 256)], 7, .inbound), &network.script, at: .zero).isEmpty)
    }
    let passed = network.shaper.flush()
    #expect(passed.count == Shaper.mostWaiting && passed.prefix(3).map(\.bytes) == [[0], [1], [2]])
    #expect(network.shaper.nextDeadline == nil)
  }
}

@Suite("The protocols of faults") struct FaultProtocolTests {
  private func protocols(_ text: String) throws -> [ServedProtocol] { try FaultLibrary.builtIn.choice(text).protocols }

  @Test("Each fault affects a protocol") func all() throws {
    for fault in FaultLibrary.builtIn.entries { #expect(!fault.plain.protocols.isEmpty, "\(fault.name)") }
  }

  @Test(
    "Faults of the device, of starts and of the whole network affect both",
    arguments: [
      "reboot", "power-cut", "clock-jump", "off-network", "flap", "silence", "record-flap", "slow-read", "lost-state",
      "latency", "latency-in", "stall", "deaf", "failing-read", "out-of-range", "lost-events",
    ])
  func both(text: String) throws { #expect(try protocols(text) == [.hap, .matter]) }

  @Test(
    "Faults of TCP, of HAP's messages and of its record do not affect Matter",
    arguments: [
      "bandwidth", "trickle", "chop", "cut", "reset", "refuse", "session-cap", "drop-message", "chunked",
      "double-events", "long-text", "frozen-record", "wrong-sf", "leading-zeros", "latency:connection=1",
      "lost-events:controller=X", "failing-read:connection=2+",
    ])
  func hapAlone(text: String) throws { #expect(try protocols(text) == [.hap]) }

  @Test(
    "Faults of datagrams affect Matter alone",
    arguments: [
      "drop-datagrams", "duplicate-datagrams", "delay-datagrams", "reorder-datagrams", "corrupt-datagrams",
      "withhold-acknowledgements",
    ])
  func matterAlone(text: String) throws { #expect(try protocols(text) == [.matter]) }

  @Test("Parameters select what a Matter node answers and reports") func interaction() throws {
    func interaction(_ text: String) throws -> InteractionFault? { try FaultLibrary.builtIn.choice(text).interaction }
    let brightness = CharacteristicDefinition.brightness.type
    #expect(try interaction("failing-read:type=Brightness:status=-70408") == .status(brightness, .timedOut))
    #expect(try interaction("out-of-range") == .value(brightness, 100_000))
    #expect(try interaction("lost-events") == .lostReports(.all))
    #expect(try interaction("lost-events:which=first") == .lostReports(.first))
  }

  @Test(
    "Wrong parameters are refused",
    arguments: [
      ("drop-datagrams:direction=up", "direction is both, in or out, not \"up\""),
      ("drop-datagrams:share=0", "share is a number from 1 to 100"),
      ("drop-datagrams:share=101", "share is a number from 1 to 100"),
      ("delay-datagrams:by=soon", "by is a duration"),
      ("drop-datagrams:controller=X", "drop-datagrams affects the whole accessory"),
      ("failing-read:type=Onn", "the catalogue has no \"Onn\": did you mean \"On\"?"),
    ])
  func wrong(text: String, message: String) {
    do throws(JSONProblem) {
      _ = try FaultLibrary.builtIn.choice(text)
      Issue.record("\(text) was accepted")
    } catch { #expect(error.message.hasPrefix(message), "\(error.message)") }
  }

  @Test("Mistakes in the sections of a file are reported") func files() {
    let text = """
      faults:
        - { name: a, what: A., datagrams: { effect: lose } }
        - { name: b, what: B., datagrams: { effect: drop, by: 1s } }
        - { name: c, what: C., datagrams: { effect: delay } }
        - { name: d, what: D., datagrams: { effect: drop, direction: up } }
        - { name: e, what: E., datagrams: { effect: drop, share: 0 } }
        - { name: f, what: F., datagrams: { effect: drop, number: 1 } }
        - { name: g, what: G., interaction: { type: "On" } }
        - { name: h, what: H., interaction: { type: "On", status: 7 } }
        - { name: i, what: I., interaction: { type: "On", value: -1 } }
        - { name: j, what: J., interaction: { lose: { answer: x } } }
        - { name: k, what: K., interaction: { value: 1 } }
        - { name: l, what: L., datagrams: { effect: drop } }
      """
    let file = FaultFile(Array(text.utf8), file: "f.yaml")
    #expect(file.faults.map(\.name) == ["l"])
    #expect(file.problems.count == 11, "\(file.problems)")
  }
}
