import HAPIP
import HAPModel
import HAPWire

@testable import HAPDeviations

func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A file with one defect that consists of these lines.
func fileText(_ changes: String, id: String = "some-mistake") -> String {
  let lines = changes.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
  return "area: read\ndefects:\n  - id: \(id)\n    breaks: RD-01\n    what: Something is wrong.\n"
    + lines.joined(separator: "\n")
    + "\n"
}

func file(_ changes: String) -> DefectFile { DefectFile(utf8(fileText(changes)), file: "own.yaml") }

/// The defect of these lines; a mistake in them traps.
func defect(_ changes: String) -> Defect {
  let file = file(changes)
  precondition(file.problems.isEmpty, "\(file.problems)")
  return file.defects[0]
}

func json(_ text: String) -> JSONNode { try! JSONNode.parse(utf8(text)) }

func text(_ node: JSONNode) -> String {
  var buffer = ByteBuffer()
  buffer.appendJSON(node)
  return String(decoding: buffer.bytes, as: UTF8.self)
}

/// A home with a lamp at 1.9 and a name at 1.3.
func lookup(_ aid: UInt64, _ iid: UInt64) -> AttributeFacts? {
  switch (aid, iid) {
  case (1, 9): AttributeFacts(type: "25", format: "bool", perms: ["pr", "pw", "ev"], service: "43")
  case (1, 3): AttributeFacts(type: "23", format: "string", perms: ["pr"], service: "3E")
  default: nil
  }
}

func request(_ text: String, body: String = "") -> PlainMessage {
  PlainMessage(head: utf8(text + " HTTP/1.1\r\nHost: lamp\r\n\r\n"), body: utf8(body))
}

func answer(_ status: Int, _ body: String = "", type: String = "application/hap+json") -> PlainMessage {
  var message = PlainMessage(start: "HTTP/1.1 200 OK")
  message.setStatus(status)
  if !body.isEmpty {
    message.set("Content-Type", type)
    message.replaceBody(utf8(body))
  }
  return message
}

func event(_ body: String) -> PlainMessage {
  var message = PlainMessage(start: "EVENT/1.0 200 OK", fields: [HTTPField("Content-Type", "application/hap+json")])
  message.replaceBody(utf8(body))
  return message
}

/// The connection of a verified admin.
func connection(_ id: UInt64 = 1, controller: String? = "A", number: Int = 1) -> ConnectionFacts {
  ConnectionFacts(
    id: id, isSecured: controller != nil, isAdmin: number == 1, controller: controller, controllerNumber: number,
    isVerifying: false, isSettingUp: false, isSubscribed: false)
}

func facts(
  _ kind: MessageFacts.Kind, _ message: PlainMessage? = nil, to request: PlainMessage? = nil, bytes: String = "",
  on connection: ConnectionFacts = connection(), others: [ConnectionFacts] = [], at now: Duration = .seconds(1)
) -> MessageFacts {
  MessageFacts(
    kind: kind, message: message, bytes: utf8(bytes), request: kind == .request ? message : request,
    connection: connection, others: others, isPaired: true, now: now, lookup: lookup)
}

/// A lamp that is on.
final class Lamp: DefectWorld {
  let database = try! AttributeDatabase([
    Accessory(
      aid: 1,
      services: [
        Service(
          iid: 1, type: ServiceDefinition.accessoryInformation.type,
          characteristics: [
            Characteristic(
              iid: 3, type: CharacteristicDefinition.name.type, format: .string, perms: .pairedRead,
              value: .string("Lamp"))
          ]),
        Service(
          iid: 8, type: ServiceDefinition.lightBulb.type,
          characteristics: [
            Characteristic(
              iid: 9, type: CharacteristicDefinition.on.type, format: .bool,
              perms: [.pairedRead, .pairedWrite, .events],
              value: .bool(true))
          ]),
      ])
  ])
  var databaseText: [UInt8] { utf8("{\"accessories\":[]}") }
  /// Only the first connection is subscribed.
  func isSubscribed(_ connection: UInt64, to id: AttributeID) -> Bool { connection == 1 }
  func text(of value: Value) -> [UInt8] { utf8(value.boolValue == true ? "1" : "0") }
}
