@testable import MatterController
import HAPCapture
import HAPFrontEnds
import HAPLoop
import HAPModel
import HAPObservation
import HAPWire
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import HAPMatter

/// The lines of captures in memory, by the start of the accessory.
private final class CapturedLines: @unchecked Sendable {  // confined to the world's thread
  private var lines: [Int: [String]] = [:]

  var maker: @Sendable (_ accessory: Int, _ start: Int) -> CaptureMaker {
    { [self] _, start in { _ in CaptureWriter { self.lines[start, default: []].append($0) } } }
  }

  var starts: [Int] { lines.keys.sorted() }
  /// The lines of the first start.
  var first: [String] { lines[1, default: []] }

  /// - Parameter change: alters a line.
  func replay(_ start: Int = 1, changing change: (String) -> String = { $0 }) throws -> CaptureReplay {
    try CaptureReplay(Array((lines[start, default: []].map(change).joined(separator: "\n") + "\n").utf8))
  }

  func count(of kind: String) -> Int { lines.values.joined().count { $0.contains("\"is\":\"\(kind)\"") } }
}

extension CaptureReplay {
  fileprivate var matter: [DecodedTraffic] {
    messages.compactMap { if case .matter(let traffic) = $0.content { traffic } else { nil } }
  }

  /// "> ReadRequest": what the node received; "<": what it sent.
  fileprivate var steps: [String] {
    matter.compactMap { traffic in traffic.name.map { "\(traffic.isReceived ? ">" : "<") \($0)" } }
  }
}

@Suite("Captures of an accessory with Matter") struct MatterCaptureTests {
  private static let onOff = AttributePath(1, 6, 0)
  private static let toggle = CommandPath(1, 6, 2)

  @Test(
    "A run over both protocols is replayed without a difference, and its Matter messages are decoded in their order")
  func both() async throws {
    try await withMatterHome { world in
      let lines = CapturedLines()
      let served = try ServedNode(Profile.light, in: world, capture: lines.maker)
      let phone = try MatterPhone(world)
      #expect(try await phone.commission(served))
      // Lists the connections, which takes a number for the session of Matter.
      let on = AttributeID(aid: 1, iid: try #require(try await served.iid("On")))
      let home = try await HomePhone(pairingWith: served, in: world)
      try await home.subscribe(to: on)
      for _ in 0..<3 {
        #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
        #expect(try await home.write(on, .bool(true)) == 204)
        #expect(try await home.read(on).contains("1"))
      }
      try await phone.wait(for: { home.bodies.count >= 2 })
      await home.close()
      #expect(try await phone.read(Self.onOff) == .bool(true))
      try phone.stop()
      try served.stop()

      let replay = try lines.replay()
      #expect(replay.difference == nil && replay.inputs > 10 && replay.sentBytes > 1000)
      #expect(lines.count(of: "wrote") == 3 && replay.matterMessages == replay.matter.count)
      // Three commands and a value, besides what the commissioning has read.
      #expect(replay.matterDifference == nil && replay.matterComparisons >= 7)
      let steps = replay.steps.filter { !$0.hasSuffix("Acknowledgement") }
      #expect(steps.prefix(3) == ["> PBKDFParamRequest", "< PBKDFParamResponse", "> Pake1"])
      let read = try #require(steps.lastIndex(of: "> ReadRequest"))
      #expect(steps[read + 1] == "< ReportData")
      #expect(replay.matter.allSatisfy { $0.problem == nil && $0.peer.hasPrefix("10.0.0.2:") })
      let toggles = replay.matter.filter { $0.parts == ["endpoint 1 OnOff.Toggle {}"] }
      #expect(toggles.count == 3 && toggles.allSatisfy { $0.message?.session == .caseSession })
      // Messages of both protocols are in the order of their times.
      #expect(zip(replay.messages, replay.messages.dropFirst()).allSatisfy { $0.time <= $1.time })
    }
  }

  @Test("Values that only the device has are asked for again in the replay") func liveValues() async throws {
    try await withMatterHome { world in
      let valve = """
        { "format": "hasaccessory/1", "name": "Tap", "serialNumber": "T-1", "category": "faucet",
          "services": [ { "type": "Valve", "name": "Tap", "characteristics": [
            { "type": "SetDuration", "value": 60 }, { "type": "RemainingDuration" } ] } ] }
        """
      let lines = CapturedLines()
      let served = try ServedNode(valve, in: world, capture: lines.maker)
      let phone = try MatterPhone(world)
      #expect(try await phone.commission(served))
      let home = try await HomePhone(pairingWith: served, in: world)
      let left = AttributeID(aid: 1, iid: try #require(try await served.iid("Remaining Duration")))
      for _ in 0..<3 {
        _ = try await phone.read(AttributePath(1, 0x81, 3))
        _ = try await home.read(left)
        try await phone.sleep(.seconds(1))
      }
      await home.close()
      try phone.stop()
      try served.stop()
      #expect(lines.count(of: "asked") > 0)
      let replay = try lines.replay()
      #expect(replay.difference == nil && replay.matterDifference == nil && replay.matterComparisons >= 3)
    }
  }

  @Test("Results and values that differ from the recorded ones are found with their line and path") func differences()
    async throws
  {
    try await withMatterHome { world in
      let lines = CapturedLines()
      let served = try ServedNode(Profile.light, in: world, capture: lines.maker)
      let phone = try MatterPhone(world)
      #expect(try await phone.commission(served))
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      #expect(try await phone.read(Self.onOff) == .bool(true))
      // The second one is refused.
      let twice = [1, 9].map { number in
        WriteRequest.Item(AttributePattern(AttributePath(1, 6, 0x4003)), .replace(.unsigned(number)))
      }
      #expect(try await phone.request(.write(WriteRequest(twice))) != nil)
      try phone.stop()
      try served.stop()
      #expect(try lines.replay().matterDifference == nil)
      // The lamp does not turn on, so the command makes another write, and the value is another one.
      let other = try lines.replay(changing: { line in
        line.contains("\"is\":\"wrote\"") ? line.replacing("true", with: "false") : line
      })
      #expect(other.matterDifference?.what == "the write of a request")
      let value = try lines.replay(changing: Self.withFalse)
      #expect(value.matterDifference?.what == "endpoint 1 OnOff.OnOff")
      #expect(value.matterDifference?.then == "false" && value.matterDifference?.now == "true")
      #expect(value.difference == nil)
      // The command has made another write, which it does not make now.
      let more = try lines.replay(changing: { $0.contains("\"is\":\"wrote\"") ? $0 + "\n" + $0 : $0 })
      #expect(more.matterDifference?.what == "the write of a request" && more.matterDifference?.now == "[]")
      // The command suppresses its answer, so that the value after it is not compared.
      let silent = try lines.replay(changing: { line in
        line.contains(#""opcode":9,"#)
          ? "" : Self.withPayload(Self.withFalse(line), ofOpcode: 8) { $0[1] = 0x29 }
      })
      #expect(silent.matterDifference == nil && silent.matterEnd != nil && silent.difference == nil)
      #expect(value.matterEnd == nil)
    }
  }

  /// A line with a report, in which the first value that is true is false.
  private static func withFalse(_ line: String) -> String {
    withPayload(line, ofOpcode: 5) { bytes in
      let place = bytes.indices.dropLast().first { bytes[$0] == 0x29 && bytes[$0 + 1] == 2 }
      if let place { bytes[place] = 0x28 }
    }
  }

  /// A line with another payload, if it has a message with this opcode.
  private static func withPayload(_ line: String, ofOpcode opcode: Int, _ change: (inout [UInt8]) -> Void) -> String {
    guard line.contains("\"opcode\":\(opcode),"), let node = try? JSONNode.parse(Array(line.utf8)),
      let text = node["bytes"]?.stringValue, var bytes = Base64.decode(text), bytes.count > 1
    else { return line }
    change(&bytes)
    return line.replacing(text, with: Base64.encode(bytes))
  }

  @Test("A message is recorded when it is made, although it leaves after a store, and the value has changed before")
  func pendingStore() async throws {
    try await withMatterHome { world in
      let lines = CapturedLines()
      let served = try ServedNode(Profile.light, in: world, capture: lines.maker)
      let phone = try MatterPhone(world)
      #expect(try await phone.commission(served))
      let subscribe = SubscribeRequest([AttributePattern(Self.onOff)], minimum: 0, maximum: 60)
      #expect(try await phone.request(.subscribe(subscribe)) != nil)
      try await phone.sleep(.seconds(2))
      // In one turn of the loop, nothing can be stored. On stores a value of the node before its answer.
      try served.execute(#"{"command": "set", "characteristic": "On", "value": false}"#)
      #expect(try await phone.request(.command(CommandPath(1, 6, 1)))?.outcome == .status(.success))
      try await phone.wait(for: { phone.changes.last?.values[Self.onOff] == .bool(false) })
      try phone.stop()
      try served.stop()
      let answer = try #require(lines.first.lastIndex { $0.contains(#""opcode":9,"#) })
      let change = try #require(lines.first.lastIndex { $0.contains(#""is":"changed""#) })
      #expect(answer < change)
      let replay = try lines.replay()
      #expect(replay.difference == nil && replay.matterDifference == nil && replay.matterComparisons > 0)
    }
  }

  @Test("A message after the end of a countdown, but before its late timer, has the value before the end")
  func lateTimer() async throws {
    try await withMatterHome { world in
      let lines = CapturedLines()
      let served = try ServedNode(Profile.light, in: world, capture: lines.maker)
      let phone = try MatterPhone(world)
      #expect(try await phone.commission(served))
      // OnWithTimedOff, for a second.
      let fields: [(UInt8, Element.Value)] = [(0, .unsigned(0)), (1, .unsigned(10)), (2, .unsigned(0))]
      #expect(try await phone.request(.command(CommandPath(1, 6, 0x42), fields))?.outcome == .status(.success))
      #expect(try await phone.read(Self.onOff) == .bool(true))
      try await phone.sleep(.seconds(2))
      try phone.stop()
      try served.stop()
      #expect(lines.count(of: "wrote") == 2)
      #expect(try lines.replay().matterDifference == nil)
      // The value is read at the time of the second write.
      func time(_ line: String) -> Substring { line.prefix { $0 != "," } }
      let end = time(try #require(lines.first.last { $0.contains("\"is\":\"wrote\"") }))
      let read = try #require(lines.first.last { $0.contains(#""opcode":5,"#) })
      let late = try lines.replay(changing: { line in
        line == read ? end + String(line.dropFirst(time(line).count)) : line
      })
      #expect(late.matterDifference == nil && late.matterComparisons > 0)
    }
  }

  @Test("Each start has a capture of its own, and a replaced profile is replayed, too") func restart() async throws {
    try await withMatterHome { world in
      let lines = CapturedLines()
      let served = try ServedNode(Profile.light, in: world, capture: lines.maker)
      served.profiles["two"] = Profile.twoLights
      let phone = try MatterPhone(world)
      #expect(try await phone.commission(served))
      let home = try await HomePhone(pairingWith: served, in: world)
      try await served.command("replace", #""profile": "two""#)
      let on = AttributeID(aid: 1, iid: try #require(try await served.iid("On")))
      try await home.subscribe(to: on)
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      try await phone.wait(for: { !home.bodies.isEmpty })
      await home.close()
      try await served.command("reboot")
      #expect(try await phone.connect() != nil)
      #expect(try await phone.read(Self.onOff) == .bool(true))
      try phone.stop()
      try served.stop()
      #expect(lines.starts == [1, 2])
      for start in lines.starts {
        let replay = try lines.replay(start)
        #expect(replay.difference == nil && replay.matterDifference == nil && replay.matterComparisons > 0)
      }
      #expect(try lines.replay(2).steps.first == "> Sigma1")
    }
  }

  @Test("A capture has the choices of the profile about its Matter side, also those of a later profile") func choices()
    async throws
  {
    @Sendable func profile(_ attribute: String) -> String {
      Profile.custom.replacing(
        #""value": 5"#, with: #""value": 5, "matter": { "cluster": "FC01", "attribute": "\#(attribute)" }"#)
    }
    try await withMatterHome { world in
      let lines = CapturedLines()
      let served = try ServedNode(profile("7"), in: world, capture: lines.maker)
      served.profiles["other"] = profile("8")
      let phone = try MatterPhone(world)
      #expect(try await phone.commission(served))
      #expect(try await phone.read(AttributePath(1, 0xFFF1_FC01, 7)) == .unsigned(5))
      try await served.command("replace", #""profile": "other""#)
      #expect(try await phone.read(AttributePath(1, 0xFFF1_FC01, 8)) == .unsigned(5))
      try phone.stop()
      try served.stop()
      let replay = try lines.replay()
      #expect(replay.difference == nil && replay.matterDifference == nil && replay.matterComparisons >= 2)
      let without = try lines.replay { $0.replacing("FC01", with: "FC02") }
      #expect(without.matterDifference?.what.contains("0xFFF1FC01") == true)
    }
  }

  @Test("Messages are events only for a reader of all events") func events() async throws {
    try await withMatterHome { world in
      let served = try ServedNode(Profile.light, in: world)
      let phone = try MatterPhone(world)
      #expect(try await phone.commission(served))
      #expect(!served.eventNames().contains("message"))
      try served.reportEverything()
      #expect(try await phone.request(.command(Self.toggle))?.outcome == .status(.success))
      let messages = served.events.filter { $0.name == "message" }
      #expect(messages.allSatisfy { $0.isRequest })
      let toggle = try #require(messages.first { $0.text.hasSuffix(": endpoint 1 OnOff.Toggle {}") })
      #expect(toggle.text.hasPrefix("InvokeRequest from 10.0.0.2:") && toggle.weight > 0)
      let json = try JSONNode.parse(JSONWriter.bytes { json in json.object { toggle.write(to: &$0) } })
      #expect(json["message"]?.stringValue == "InvokeRequest" && json["session"]?.stringValue == "CASE")
      #expect(json["content"]?.elements?.first?.stringValue == "endpoint 1 OnOff.Toggle {}")
      #expect(json["controller"]?.stringValue == "Matter fabric 1 node 0000000000000065")
      #expect(json["from"]?.stringValue == "controller" && json["problem"] == nil)
      try phone.stop()
      try served.stop()
    }
  }
}
