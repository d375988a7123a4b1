import HAPIP
import HAPModel
import HAPReport
import HAPWire

@testable import HAPJudge

/// An accessory with a lamp and a lock, for tests of the controller rules.
final class Lamp: JudgedAccessory {
  let id: String
  init(id: String = "11:22:33:44:55:66") { self.id = id }
  let name = "Lamp"
  var isPaired = true
  var serves = true
  var pairingIdentifiers = [Array(Court.controller.utf8)]
  var admins: Set<String> = [Court.controller]
  func isAdmin(_ controller: String) -> Bool { admins.contains(controller) }
  var database = try! AttributeDatabase([
    Accessory(
      aid: 1,
      services: [
        Service(
          iid: 8, type: ServiceDefinition.lightBulb.type,
          characteristics: [
            Characteristic(
              iid: 9, type: CharacteristicDefinition.on.type, format: .bool,
              perms: [.pairedRead, .pairedWrite, .events], value: .bool(false)),
            Characteristic(
              iid: 10, type: CharacteristicDefinition.brightness.type, format: .int,
              perms: [.pairedRead, .pairedWrite, .events], value: .integer(100),
              constraints: Constraints(minValue: 0, maxValue: 100, minStep: 1)),
            Characteristic(
              iid: 11, type: CharacteristicDefinition.model.type, format: .string, perms: [.pairedRead],
              value: .string("L1")),
            Characteristic(
              iid: 12, type: CharacteristicDefinition.lockTargetState.type, format: .uint8,
              perms: [.pairedRead, .pairedWrite, .events, .timedWrite], value: .integer(0),
              constraints: Constraints(minValue: 0, maxValue: 1)),
          ])
      ])
  ])
}

/// Simulates controllers in front of a judge, with a simulated clock.
final class Court {
  static let controller = "5D0C3E2A-6B1F-4C8E-9F37-2A1B0C4D5E6F"
  static let patience = Duration.seconds(10)

  let lamp = Lamp()
  let judge = ControllerJudge(patience: Court.patience, at: .seconds(1000))
  private(set) var now = Duration.seconds(1000)
  private var last: UInt64 = 0

  func wait(_ time: Duration) {
    now += time
    judge.advance(to: now)
  }

  func act(_ act: ControllerAct, on connection: UInt64) { judge.take(act, on: connection, of: lamp, at: now) }
  func change(_ change: AccessoryChange) { judge.take(change, of: lamp, at: now) }

  func open(from peer: String = "192.0.2.7:50000") -> UInt64 {
    last += 1
    act(.opened(peer: peer), on: last)
    return last
  }

  /// Opens a connection and verifies the controller.
  func session(of controller: String = Court.controller, from peer: String = "192.0.2.7:50000") -> UInt64 {
    let connection = open(from: peer)
    act(.arrived, on: connection)
    act(.verified(controller: controller), on: connection)
    return connection
  }

  func ask(
    _ connection: UInt64, _ start: String, _ body: [UInt8] = [], type: String? = nil,
    fields: [HTTPField] = [HTTPField("Host", "lamp")]
  ) {
    var fields = fields
    if let type { fields.append(HTTPField("Content-Type", type)) }
    act(.arrived, on: connection)
    act(.asked(PlainMessage(start: "\(start) HTTP/1.1", fields: fields, body: body)), on: connection)
  }

  func answer(_ connection: UInt64, _ status: Int = 200, _ body: [UInt8] = [], type: String = "application/hap+json") {
    act(
      .answered(
        PlainMessage(start: "HTTP/1.1 \(status) X", fields: [HTTPField("Content-Type", type)], body: body)),
      on: connection)
  }

  /// Sends a request, and the accessory's answer.
  func get(_ connection: UInt64, _ target: String, _ status: Int = 200, _ body: String = "") {
    ask(connection, "GET \(target)")
    answer(connection, status, Array(body.utf8))
  }

  func put(_ connection: UInt64, _ body: String, to path: String = "/characteristics", _ status: Int = 204) {
    ask(connection, "PUT \(path)", Array(body.utf8), type: "application/hap+json")
    answer(connection, status)
  }

  func subscribe(_ connection: UInt64, _ iid: UInt64 = 9, _ ev: Bool = true) {
    put(connection, #"{"characteristics":[{"aid":1,"iid":\#(iid),"ev":\#(ev)}]}"#)
  }

  func pairing(_ connection: UInt64, _ path: String, _ items: [(UInt8, [UInt8])]) {
    ask(connection, "POST \(path)", TLV.of(items).encoded(), type: "application/pairing+tlv8")
  }

  func pairingAnswer(_ connection: UInt64, _ items: [(UInt8, [UInt8])]) {
    answer(connection, 200, TLV.of(items).encoded(), type: "application/pairing+tlv8")
  }

  func tell(_ connection: UInt64) { act(.told(PlainMessage(start: "EVENT/1.0 200 OK")), on: connection) }

  /// The controller ends the connection.
  func leave(_ connection: UInt64) {
    act(.left, on: connection)
    act(.closed, on: connection)
  }

  /// The accessory, or the network, ends the connection.
  func lose(_ connection: UInt64) { act(.closed, on: connection) }

  // MARK: Results

  private var outcomes: [CaseOutcome] {
    RunReport(judge.events(RunHeader(version: "0", target: "test", seed: 0))).outcomes
  }

  func outcome(_ rule: String) -> CaseOutcome { outcomes.first { $0.description.id == rule }! }
  func verdict(_ rule: String) -> Verdict { outcome(rule).verdict }
  var broken: [String] { outcomes.filter { $0.verdict == .fail }.map(\.description.id) }
}

extension TLV {
  static func of(_ items: [(UInt8, [UInt8])]) -> TLV {
    var tlv = TLV()
    for (type, value) in items { tlv.append(type, value) }
    return tlv
  }
}
