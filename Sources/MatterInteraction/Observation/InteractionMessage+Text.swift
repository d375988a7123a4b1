import HAPWire
import MatterModel
import MatterWire

extension InteractionMessage {
  /// What the message contains: a line for each path, then the rest.
  /// - Throws: `invalidAction` if it is malformed.
  package func parts() throws(InteractionStatus) -> [String] {
    switch opcode {
    case .status: return [InteractionStatus(try StatusResponse(decoding: payload).status).text]
    case .read:
      let request = try ReadRequest(decoding: payload)
      return Self.requested(request.attributes, request.events, from: request.eventsFrom, request.versions)
    case .subscribe:
      let request = try SubscribeRequest(decoding: payload)
      var parts = Self.requested(request.attributes, request.events, from: request.eventsFrom, request.versions)
      parts.append("every \(request.minimum) to \(request.maximum) s")
      if request.keepsOthers { parts.append("other subscriptions stay") }
      return parts
    case .subscribeResponse:
      let response = try SubscribeResponse(decoding: payload)
      return ["subscription \(response.id)", "at most \(response.maximum) s between reports"]
    case .report: return try ReportData(decoding: payload).parts
    case .write:
      let request = try WriteRequest(decoding: payload)
      var parts = request.items.map { $0.path.text + $0.change.text }
      if request.isTimed { parts.append("timed") }
      if request.hasMore { parts.append("more follows") }
      return parts
    case .writeResponse:
      return try WriteResponse(decoding: payload).items.map {
        "\($0.path.text)\($0.isAppended ? ", one more entry" : ""): \($0.status.text)"
      }
    case .invoke:
      let request = try InvokeRequest(decoding: payload)
      // Octet strings of commands are keys, verifiers, PIN codes and network credentials, or certificates.
      var parts = request.items.map { item in
        "\(item.path.text(isResponse: false)) "
          + item.fields.text(hidesOctets: true, hidesTexts: item.path.hidesTexts(isResponse: false))
      }
      if request.isTimed { parts.append("timed") }
      return parts
    case .invokeResponse:
      let response = try InvokeResponse(decoding: payload)
      var parts = response.items.map(\.text)
      if response.hasMore { parts.append("more follows") }
      return parts
    case .timed: return ["within \(try TimedRequest(decoding: payload).milliseconds) ms"]
    }
  }

  private static func requested(
    _ attributes: [AttributePattern], _ events: [EventPattern], from number: UInt64, _ versions: [VersionFilter]
  ) -> [String] {
    var parts = attributes.map(\.text) + events.map(\.text)
    if number > 0 { parts.append("events from number \(number)") }
    if !versions.isEmpty {
      parts.append("\(versions.count) data version\(versions.count == 1 ? " is" : "s are") known")
    }
    return parts
  }
}

extension InvokeResponse.Item {
  fileprivate var text: String {
    switch outcome {
    case .status(let status): "\(path.text(isResponse: false)): \(status.text)"
    case .response(_, let fields):
      "\(path.text(isResponse: true)) "
        + fields.text(hidesOctets: false, hidesTexts: path.hidesTexts(isResponse: true))
    }
  }
}

extension ReportData {
  fileprivate var parts: [String] {
    var parts: [String] = []
    if let subscription { parts.append("subscription \(subscription)") }
    for attribute in attributes {
      switch attribute.content {
      case .change(let change, _): parts.append(attribute.path.text + change.text)
      case .status(let status): parts.append("\(attribute.path.text): \(status.text)")
      }
    }
    for event in events {
      switch event {
      case .record(let record):
        let path = EventPattern(record.path.endpoint, record.path.cluster, record.path.event)
        parts.append("\(path.text) number \(record.number) \(record.fields.text(hidesOctets: false))")
      case .status(let pattern, let status): parts.append("\(pattern.text): \(status.text)")
      }
    }
    if hasMore { parts.append("more follows") }
    return parts
  }
}

// MARK: Paths

/// The parts of paths, with the names of the catalogue.
private enum PathText {
  static func endpoint(_ endpoint: EndpointNumber?) -> String { endpoint.map { "endpoint \($0)" } ?? "every endpoint" }

  static func definition(_ cluster: ClusterID?) -> ClusterDefinition? {
    cluster.flatMap { cluster in ClusterDefinition.all.first { $0.id == cluster } }
  }

  static func cluster(_ cluster: ClusterID?) -> String {
    guard let cluster else { return "every cluster" }
    return definition(cluster)?.name ?? cluster.hex
  }
}

extension AttributePattern {
  /// "endpoint 1 OnOff.OnOff"
  package var text: String { "\(PathText.endpoint(endpoint)) \(PathText.cluster(cluster)).\(attributeText)" }

  private var attributeText: String {
    guard let attribute else { return "*" }
    if let global = GlobalAttribute(rawValue: attribute) { return "\(global)".capitalizedFirst }
    let definition = PathText.definition(cluster)
    return definition?.attributes.first { $0.description.number == attribute }?.name ?? attribute.hex
  }
}

extension EventPattern {
  /// "endpoint 0 BasicInformation.StartUp (event)"
  fileprivate var text: String {
    let known = PathText.definition(cluster)?.events.first { $0.description.number == event }?.name
    let name = event.map { known ?? $0.hex } ?? "*"
    return "\(PathText.endpoint(endpoint)) \(PathText.cluster(cluster)).\(name) (event\(isUrgent ? ", urgent" : ""))"
  }
}

extension CommandPattern {
  /// "endpoint 1 OnOff.Toggle". The catalogue has no names of response commands.
  package func text(isResponse: Bool) -> String {
    let known = PathText.definition(cluster)?.commands.first { $0.description.number == command }?.name
    let name = isResponse ? "response \(command.hex)" : known ?? command.hex
    return "\(PathText.endpoint(endpoint)) \(PathText.cluster(cluster)).\(name)"
  }

  /// Account Login and Content Control, whose PIN codes are texts.
  private static let clustersWithCodes: Set<ClusterID> = [0x50E, 0x50F]

  /// Whether texts among the fields can be secrets: what the catalogue does not know can have any.
  fileprivate func hidesTexts(isResponse: Bool) -> Bool {
    guard !Self.clustersWithCodes.contains(cluster), let definition = PathText.definition(cluster) else { return true }
    return !isResponse && !definition.commands.contains { $0.description.number == command }
  }
}

// MARK: Values

extension InteractionStatus {
  /// "success (0x0)"
  package var text: String {
    "\("\(code)".words) (\(code.rawValue.hex)\(clusterStatus.map { ", of the cluster \($0.hex)" } ?? ""))"
  }
}

extension AttributeChange {
  fileprivate var text: String {
    switch self {
    case .replace(let value): " = \(value.text(hidesOctets: false))"
    case .append(let value): ", one more entry: \(value.text(hidesOctets: false))"
    }
  }
}

extension [Element] {
  /// The members of a structure: `{0: 60, 1: "x"}`.
  package func text(hidesOctets: Bool, hidesTexts: Bool = false) -> String {
    let members = map { "\($0.tag): \($0.value.text(hidesOctets: hidesOctets, hidesTexts: hidesTexts))" }
    return "{" + members.joined(separator: ", ") + "}"
  }
}

extension Element.Value {
  /// Longer octet strings are shown by their beginning.
  private static let mostOctets = 32

  /// The value as text. Characters of texts are escaped as in JSON.
  /// - Parameters:
  ///   - hidesOctets: whether only the length of an octet string is shown.
  ///   - hidesTexts: whether nothing of a text is shown.
  package func text(hidesOctets: Bool, hidesTexts: Bool = false) -> String {
    switch self {
    case .signed(let number): "\(number)"
    case .unsigned(let number): "\(number)"
    case .bool(let isTrue): "\(isTrue)"
    case .single(let number): "\(number)"
    case .double(let number): "\(number)"
    case .text(let text): hidesTexts ? "(text, hidden)" : JSONWriter.text { $0.string(text) }
    case .octets(let octets):
      if hidesOctets {
        "(\(octets.count) bytes, hidden)"
      } else if octets.count > Self.mostOctets {
        "0x\(Hexadecimal.text(octets.prefix(Self.mostOctets)))… (\(octets.count) bytes)"
      } else {
        "0x\(Hexadecimal.text(octets))"
      }
    case .null: "null"
    case .container(.array, let members):
      "["
        + members.map { $0.value.text(hidesOctets: hidesOctets, hidesTexts: hidesTexts) }.joined(separator: ", ") + "]"
    case .container(.structure, let members), .container(.list, let members):
      members.text(hidesOctets: hidesOctets, hidesTexts: hidesTexts)
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// "0x3E"
  package var hex: String { "0x" + String(self, radix: 16, uppercase: true) }
}

extension String {
  /// The name of a constant as words: "sessionEstablished" becomes "session established".
  package var words: String {
    var text = ""
    for character in self {
      if character.isUppercase { text += " " + character.lowercased() } else { text.append(character) }
    }
    return text
  }
}
