import HAPAttributes
import HAPIP
import HAPModel
import HAPWire

/// Any line of a capture except the first.
package enum CaptureLine: Equatable {
  case input(CoreInput, at: Duration)
  case sent(ConnectionID, [UInt8], at: Duration)
  /// Random bytes that the core drew.
  case drawn([UInt8])
  /// A message or a datagram of Matter. It is shown, and no input of the core.
  case matter(MatterTraffic, at: Duration)
}

extension CaptureLine {
  package var text: String {
    JSONWriter.text { json in
      json.object { json in
        switch self {
        case .drawn(let bytes):
          json.key("random")
          json.base64(bytes)
        case .sent(let id, let bytes, let time):
          Self.head(time, "sent", on: id, &json)
          json.key("bytes")
          json.base64(bytes)
        case .input(let input, let time): Self.write(input, time, &json)
        case .matter(let traffic, let time):
          Self.head(time, traffic.kind, &json)
          traffic.write(to: &json)
        }
      }
    }
  }

  private static func head(_ time: Duration, _ kind: String, _ json: inout JSONWriter) {
    json.key("t")
    json.integer(time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000)
    json.key("is")
    json.string(kind)
  }

  private static func head(_ time: Duration, _ kind: String, on id: ConnectionID, _ json: inout JSONWriter) {
    head(time, kind, &json)
    member("c", id.number, &json)
  }

  private static func head(_ time: Duration, _ kind: String, _ ticket: Ticket, _ json: inout JSONWriter) {
    head(time, kind, &json)
    member("ticket", ticket.number, &json)
  }

  private static func list(_ name: String, _ texts: [String], _ json: inout JSONWriter) {
    json.key(name)
    json.array { json in for text in texts { json.string(text) } }
  }

  private static func text(_ name: String, _ text: String, _ json: inout JSONWriter) {
    json.key(name)
    json.string(text)
  }

  private static func member(_ name: String, _ number: UInt64, _ json: inout JSONWriter) {
    json.key(name)
    json.integer(number)
  }

  private static func write(_ input: CoreInput, _ time: Duration, _ json: inout JSONWriter) {
    switch input {
    case .opened(let id, let peer):
      head(time, "opened", on: id, &json)
      text("peer", peer, &json)
    case .received(let id, let bytes):
      head(time, "received", on: id, &json)
      json.key("bytes")
      json.base64(bytes)
    case .resumed(let id): head(time, "resumed", on: id, &json)
    case .closed(let id): head(time, "closed", on: id, &json)
    case .computed(let ticket): head(time, "computed", ticket, &json)
    case .stored(let ticket, let succeeded):
      head(time, "stored", ticket, &json)
      json.key("ok")
      json.bool(succeeded)
    case .advanced: head(time, "advanced", &json)
    case .changed(let changes):
      head(time, "changed", &json)
      write(changes, &json)
    case .read(let id, let result, let ticket):
      head(time, "read", &json)
      text("id", "\(id)", &json)
      member("ticket", ticket.number, &json)
      write(result, &json)
    case .judged(let number, let verdict):
      head(time, "judged", &json)
      member("write", number, &json)
      write(verdict, &json)
    case .verdict(let verdict):
      head(time, "verdict", &json)
      write(verdict, &json)
    case .reachable(let aid, let isReachable):
      head(time, "reachable", &json)
      member("aid", aid, &json)
      json.key("ok")
      json.bool(isReachable)
    case .unpaired(let identifiers):
      head(time, "unpaired", &json)
      list("controllers", identifiers.map { Hexadecimal.text($0) }, &json)
    case .replaced(let accessories, let model, let number, let live, let judges, let matter):
      head(time, "replaced", &json)
      text("model", model, &json)
      member("c#", UInt64(number), &json)
      write(live, judges: judges, &json)
      CaptureText.write(matter: matter, to: &json)
      json.key("database")
      CaptureText.write(accessories, to: &json)
    case .joined(let state, let matter):
      head(time, "joined", &json)
      write(state, &json)
      CaptureText.write(matter: matter, to: &json)
    case .asked(let ids):
      head(time, "asked", &json)
      list("ids", ids.map { "\($0)" }, &json)
    case .wrote(let values):
      head(time, "wrote", &json)
      write(values, &json)
    }
  }

  private static func write(_ state: MatterEndpointState, _ json: inout JSONWriter) {
    json.key("vendor")
    json.integer(state.vendor)
    text("node", state.nodeID, &json)
    json.key("numbers")
    json.base64(state.numbers)
    json.key("settings")
    json.base64(state.settings)
  }

  private static func write(_ values: [WrittenValue], _ json: inout JSONWriter) {
    json.key("values")
    json.array { json in
      for written in values {
        json.object { json in
          json.key("id")
          json.string("\(written.id)")
          json.key("value")
          CaptureText.write(written.value, to: &json)
        }
      }
    }
  }

  private static func write(_ live: [AttributeID], judges: Bool, _ json: inout JSONWriter) {
    list("live", live.map { "\($0)" }, &json)
    json.key("judges")
    json.bool(judges)
  }

  private static func write(_ changes: [AttributeID: Value], _ json: inout JSONWriter) {
    json.key("values")
    json.object { json in
      for (id, value) in changes.sorted(by: { $0.key < $1.key }) {
        json.key("\(id)")
        CaptureText.write(value, to: &json)
      }
    }
  }

  private static func write(_ result: Result<Value, HAPStatus>, _ json: inout JSONWriter) {
    switch result {
    case .success(let value):
      json.key("value")
      CaptureText.write(value, to: &json)
    case .failure(let status):
      json.key("status")
      json.integer(status.rawValue)
    }
  }

  private static func write(_ verdict: WriteVerdict, _ json: inout JSONWriter) {
    switch verdict {
    case .accepted(let response):
      json.key("verdict")
      json.string("accepted")
      if let response {
        json.key("value")
        CaptureText.write(response, to: &json)
      }
    case .refused(let status):
      json.key("verdict")
      json.integer(status.rawValue)
    case .later:
      json.key("verdict")
      json.string("later")
    }
  }
}

extension CaptureLine {
  init(_ node: JSONNode) throws(JSONProblem) {
    if node["random"] != nil {
      self = .drawn(try CaptureText.bytes(node, "random"))
      return
    }
    let time = Duration.nanoseconds(Int64(try node.required("t").asInteger(in: 0...Int128(Int64.max))))
    let kind = try node.string("is")
    if let traffic = try MatterTraffic(kind, node) {
      self = .matter(traffic, at: time)
    } else if kind == "sent" {
      self = .sent(try Self.connection(node), try CaptureText.bytes(node, "bytes"), at: time)
    } else {
      self = .input(try Self.input(kind, node), at: time)
    }
  }

  private static func connection(_ node: JSONNode) throws(JSONProblem) -> ConnectionID {
    ConnectionID(number: try CaptureText.number(node, "c"))
  }

  private static func ticket(_ node: JSONNode) throws(JSONProblem) -> Ticket {
    Ticket(number: try CaptureText.number(node, "ticket"))
  }

  private static func input(_ kind: String, _ node: JSONNode) throws(JSONProblem) -> CoreInput {
    switch kind {
    case "opened": return .opened(try connection(node), peer: try node.string("peer"))
    case "received": return .received(try connection(node), try CaptureText.bytes(node, "bytes"))
    case "resumed": return .resumed(try connection(node))
    case "closed": return .closed(try connection(node))
    case "computed": return .computed(try ticket(node))
    case "stored": return .stored(try ticket(node), succeeded: try node.required("ok").asBool())
    case "advanced": return .advanced
    case "changed": return .changed(try changes(try node.required("values")))
    case "read":
      let id = try CaptureText.id(try node.required("id"))
      if let value = node["value"] { return .read(id, .success(try CaptureText.value(value)), try ticket(node)) }
      return .read(id, .failure(try status(try node.required("status"))), try ticket(node))
    case "judged": return .judged(try CaptureText.number(node, "write"), try verdict(node))
    case "verdict": return .verdict(try verdict(node))
    case "reachable":
      return .reachable(aid: try CaptureText.number(node, "aid"), try node.required("ok").asBool())
    case "unpaired":
      return .unpaired(
        try node.list(
          "controllers",
          of: { node throws(JSONProblem) in
            guard let identifier = Hexadecimal.bytes(try node.asString()) else {
              throw node.problem("bytes in hexadecimal are expected")
            }
            return identifier
          }))
    case "replaced":
      let number = UInt16(try node.required("c#").asInteger(in: 0...65535))
      return .replaced(
        try CaptureText.accessories(node, "database"), model: try node.string("model"), configurationNumber: number,
        live: try CaptureText.ids(node, "live"), judges: try node.bool("judges", default: false),
        matter: try CaptureText.matter(node))
    case "joined":
      return .joined(
        MatterEndpointState(
          vendor: UInt16(try node.required("vendor").asInteger(in: 0...65535)), nodeID: try node.string("node"),
          numbers: try CaptureText.bytes(node, "numbers"), settings: try CaptureText.bytes(node, "settings")),
        try CaptureText.matter(node))
    case "asked":
      let ids = try CaptureText.ids(node, "ids")
      guard !ids.isEmpty, Set(ids).count == ids.count else {
        throw node.problem("ids must have one or more ids, each once")
      }
      return .asked(ids)
    case "wrote":
      return .wrote(
        try node.list("values") { (node) throws(JSONProblem) in
          WrittenValue(try CaptureText.id(try node.required("id")), try CaptureText.value(try node.required("value")))
        })
    default: throw node.problem("there is no line of kind \"\(kind)\"")
    }
  }

  private static func changes(_ values: JSONNode) throws(JSONProblem) -> [AttributeID: Value] {
    var changes: [AttributeID: Value] = [:]
    for member in try values.asObject() {
      let parts = member.name.split(separator: ".").map { UInt64($0) }
      guard parts.count == 2, let aid = parts[0], let iid = parts[1] else {
        throw member.value.problem("an id must be aid.iid")
      }
      changes[AttributeID(aid: aid, iid: iid)] = try CaptureText.value(member.value)
    }
    return changes
  }

  private static func status(_ node: JSONNode) throws(JSONProblem) -> HAPStatus {
    guard let status = HAPStatus(rawValue: Int32(try node.asInteger(in: -100_000...0))), status != .success else {
      throw node.problem("a HAP status other than 0 is expected")
    }
    return status
  }

  private static func verdict(_ node: JSONNode) throws(JSONProblem) -> WriteVerdict {
    let verdict = try node.required("verdict")
    switch verdict.stringValue {
    case "accepted":
      return .accepted(response: try node["value"].map { (node) throws(JSONProblem) in try CaptureText.value(node) })
    case "later": return .later
    case nil: return .refused(try status(verdict))
    default: throw verdict.problem("a verdict must be accepted, later or a HAP status")
    }
  }
}
