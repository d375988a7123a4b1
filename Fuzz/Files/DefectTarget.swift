import FuzzSupport
import HAPDeviations
import HAPIP
import HAPModel
import HAPProfile
import HAPWire

/// Reads a file of defects and, after a zero byte, feeds messages from the network to it. Every error in the file has its place, and valid
/// defects handle any message and end.
package func fuzzDefects(_ bytes: UnsafeRawBufferPointer) {
  let parts = [UInt8](bytes).split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let file = DefectFile([UInt8](parts[0]), file: "fuzz.yaml")
  for problem in file.problems {
    require(problem.place.line >= 1 && problem.place.column >= 1 && !problem.message.isEmpty)
  }
  let body = parts.count > 1 ? [UInt8](parts[1]) : Array(#"{"characteristics":[{"aid":1,"iid":9,"value":1}]}"#.utf8)
  let world = FuzzedWorld()
  for defect in file.defects.prefix(8) {
    _ = defect.quirks(over: Quirks())
    _ = defect.obstacle(in: world.database)
    let script = DefectScript(defect)
    for turn in 0..<3 {
      for head in [
        "GET /characteristics?id=1.9 HTTP/1.1", "PUT /characteristics HTTP/1.1", "POST /pair-setup HTTP/1.1",
      ] {
        exchange(script, PlainMessage(head: Array(head.utf8), body: body), body, world, turn)
      }
      if turn == 1 { script.restarted() }
    }
    script.closed(1)
  }
}

private func exchange(
  _ script: DefectScript, _ request: PlainMessage, _ body: [UInt8], _ world: FuzzedWorld, _ turn: Int
) {
  func facts(_ kind: MessageFacts.Kind, _ message: PlainMessage?, bytes: [UInt8] = []) -> MessageFacts {
    let connection = ConnectionFacts(
      id: 1, isSecured: turn > 0, isAdmin: true, controller: turn > 0 ? "A" : nil, controllerNumber: 1,
      isVerifying: false, isSettingUp: false, isSubscribed: true)
    return MessageFacts(
      kind: kind, message: message, bytes: bytes, request: kind == .event ? nil : request, connection: connection,
      others: [connection], isPaired: true, now: .seconds(turn), lookup: { world.database.facts(aid: $0, iid: $1) })
  }
  _ = script.request(facts(.request, request), world)
  for start in ["HTTP/1.1 200 OK", "EVENT/1.0 200 OK"] {
    let text =
      Array("\(start)\r\nContent-Type: application/hap+json\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    guard let message = PlainMessage(answer: text) else { continue }
    let kind: MessageFacts.Kind = message.isEvent ? .event : .answer
    let outcome = script.message(text, key: nil, facts(kind, message), world)
    require(outcome.sendings.allSatisfy { (1...65535).contains($0.frames.size) })
  }
  _ = script.bytes(facts(.bytes, nil, bytes: body), world)
  _ = script.bytes(facts(.badTag, nil), world)
  for pause in script.defect.beats { _ = script.bytes(facts(.beat(every: pause), nil), world) }
}

/// A lamp with the defects.
private final class FuzzedWorld: DefectWorld {
  let database: AttributeDatabase
  var databaseText: [UInt8] { Array(#"{"accessories":[]}"#.utf8) }
  func text(of value: Value) -> [UInt8] { Array("1".utf8) }
  func isSubscribed(_ connection: UInt64, to id: AttributeID) -> Bool { connection.isMultiple(of: 2) }

  init() {
    let on = Characteristic(
      iid: 9, type: CharacteristicDefinition.on.type, format: .bool, perms: [.pairedRead, .pairedWrite, .events],
      value: .bool(true))
    let lamp = Service(iid: 8, type: ServiceDefinition.lightBulb.type, characteristics: [on])
    guard let database = try? AttributeDatabase([Accessory(aid: 1, services: [lamp])]) else {
      fatalError("the lamp is a database")
    }
    self.database = database
  }
}
