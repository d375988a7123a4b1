import FuzzSupport
import HAPIP
import HAPJudge
import HAPModel
import HAPReport
import HAPWire

/// Feeds requests and answers of controllers to the judge. It has a verdict on every rule at any time, and its memory is bounded.
package func fuzzJudge(_ bytes: UnsafeRawBufferPointer) {
  var program = ByteProgram(bytes)
  let accessory = FuzzedAccessory()
  let judge = ControllerJudge(patience: .seconds(5), at: .zero)
  var now = Duration.zero
  while !program.isAtEnd {
    let connection = UInt64(program.number(below: 4))
    let act: ControllerAct
    switch program.number(below: 16) {
    case 0: act = .opened(peer: "192.0.2.\(connection)")
    case 1: act = .closed
    case 2: act = .left
    case 3: act = .verified(controller: String(decoding: program.piece(), as: UTF8.self))
    case 4: act = .answered(nil)
    case 5: act = .unreadable(reason: "no")
    case 6: act = .named(program.piece())
    case 7: act = .told(PlainMessage(head: program.piece(), body: program.piece()))
    case 8, 9:
      let fields = [
        HTTPField("Content-Type", program.isSet() ? "application/hap+json" : "application/pairing+tlv8")
      ]
      let start = "HTTP/1.1 \([200, 204, 207, 400, 470][program.number(below: 5)]) X"
      act = .answered(PlainMessage(start: start, fields: fields, body: program.piece()))
    case 10:
      let identifier = String(decoding: program.piece(), as: UTF8.self)
      judge.take(
        program.isSet() ? .paired(identifier: identifier) : .unpaired(identifier: identifier), of: accessory, at: now)
      continue
    case 11:
      accessory.serves = program.isSet()
      judge.take(.serves(accessory.serves), of: accessory, at: now)
      judge.take(.announced(configurationNumber: "\(program.byte())"), of: accessory, at: now)
      continue
    case 12:
      now += .milliseconds(Int64(program.byte()) * 100)
      judge.advance(to: now)
      continue
    case 13: act = .asked(PlainMessage(head: program.piece(), body: program.piece()))
    default:
      act = .asked(PlainMessage(start: starts[program.number(below: starts.count)], body: program.piece()))
    }
    judge.take(act, on: connection, of: accessory, at: now)
  }
  let report = RunReport(judge.events(RunHeader(version: "0", target: "", seed: 0, program: .hapsimJudge)))
  require(report.outcomes.count == ControllerJudge.descriptions.count && report.summary != nil)
  for outcome in report.outcomes {
    require([.pass, .fail, .skip].contains(outcome.verdict) && outcome.notes.count <= 11)
    require(outcome.transcript.count <= 12 && (outcome.verdict == .pass || !outcome.message.isEmpty))
  }
}

private let starts = [
  "GET /accessories HTTP/1.1", "GET /characteristics?id=1.9 HTTP/1.1", "GET /characteristics?id=1.9,1.10 HTTP/1.1",
  "PUT /characteristics HTTP/1.1", "PUT /prepare HTTP/1.1", "POST /pair-setup HTTP/1.1", "POST /pair-verify HTTP/1.1",
  "POST /pairings HTTP/1.1", "POST /identify HTTP/1.1",
]

private final class FuzzedAccessory: JudgedAccessory {
  let id = "A"
  let name = "A"
  var isPaired = true
  var serves = true
  func isAdmin(_ controller: String) -> Bool { controller.isEmpty }
  let pairingIdentifiers = [Array("C".utf8)]
  let database = try! AttributeDatabase([
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
              iid: 10, type: CharacteristicDefinition.lockTargetState.type, format: .uint8,
              perms: [.pairedRead, .pairedWrite, .timedWrite], value: .integer(0)),
          ])
      ])
  ])
}
