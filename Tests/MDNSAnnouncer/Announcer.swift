import HAPDiscovery
import HAPLoop
import HAPWire
import MDNS

/// Announces exactly the services of the last input line. Confined to the loop's thread.
///
/// A line is `{"services": [{"name", "type", "subtypes", "port", "text", "host"}]}`. It is answered with
/// `{"event": "taken"}`. A service whose name is verified is reported with
/// `{"event": "registered", "name", "host"}`, also after a rename.
final class Announcer {
  private let driver: MDNSDriver<MDNSResponder>
  private let write: (JSONNode) -> Void
  private var published: [(id: MDNSServiceID, service: MDNSService)] = []

  init(_ loop: EventLoop, interface: String, write: @escaping (JSONNode) -> Void) {
    var configuration = MDNSResponder.Configuration()
    configuration.sharesPort = true
    let responder = MDNSResponder(configuration, random: MDNSRandom(seed: .random(in: 0...UInt64.max)))
    driver = MDNSDriver(loop, InterfaceChoice([interface]), responder)
    self.write = write
    driver.onReport = { report in
      guard case .registered(_, let name, let host) = report else { return }
      write(.object([("event", .text("registered")), ("name", .text(name)), ("host", .text(host))]))
    }
  }

  /// Withdraws the services missing in the line, changes the TXT records that differ, and publishes the new services.
  func take(_ line: [UInt8]) throws {
    let wanted = try JSONNode.parse(line).list("services") { node throws(JSONProblem) in try MDNSService(node) }
    let left = published.filter { old in !wanted.contains { old.service.isSame(as: $0) } }
    published.removeAll { old in left.contains { $0.id == old.id } }
    for old in left { driver.perform { $0.withdraw(old.id, at: $1) } }
    for service in wanted {
      if let index = published.firstIndex(where: { $0.service.isSame(as: service) }) {
        try driver.perform { try $0.update(published[index].id, text: service.text, at: $1) }
        published[index].service = service
      } else {
        let id = try driver.perform { try $0.publish(service, at: $1) }
        published.append((id, service))
      }
    }
    write(.object([("event", .text("taken"))]))
  }

  /// Withdraws all services with a goodbye.
  func close() {
    for old in published { driver.perform { $0.withdraw(old.id, at: $1) } }
    driver.close(within: .seconds(1))
  }
}

extension MDNSService {
  fileprivate init(_ node: JSONNode) throws(JSONProblem) {
    self.init(
      name: try node.string("name"), type: try node.string("type"),
      subtypes: try node.list("subtypes") { label throws(JSONProblem) in try label.asString() },
      port: UInt16(try node.required("port").asInteger(in: 1...65535)),
      text: try node.list("text") { entry throws(JSONProblem) in Array(try entry.asString().utf8) },
      host: try node.string("host"))
  }

  /// Whether only the TXT records differ.
  fileprivate func isSame(as other: MDNSService) -> Bool {
    var other = other
    other.text = text
    return self == other
  }
}
