import HAPCrypto
import HAPExpectation
import HAPLoop
import HAPTarget
import HAPWire

/// Drafts claims about an accessory from its TXT record and, with the setup code, its database.
package struct ClaimsVisit: Sendable {
  package var target: ConformanceSession.Target
  package var code: String?
  package var interfaces: [String]
  package var txt: [(key: String, value: String)]

  package init(
    target: ConformanceSession.Target, code: String?, interfaces: [String], txt: [(key: String, value: String)]
  ) {
    self.target = target
    self.code = code
    self.interfaces = interfaces
    self.txt = txt
  }

  /// - Parameter random: generates the keys of the pairing that reads the database.
  package func draw(on loop: EventLoop, random: RandomSource) async throws -> Claims {
    var record: [String: String]?
    if !txt.isEmpty {
      record = Dictionary(txt.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    } else {
      record = try await look(on: loop)
    }
    guard let code else {
      guard record != nil else {
        throw ConformanceSession.Failure(
          message: "the accessory was not found on the network; use --txt or --code")
      }
      return Claims.drawn(txt: record, database: nil)
    }
    let reading = try await DatabaseVisit(target: target, code: code, interfaces: interfaces).read(
      on: loop, random: random)
    return Claims.drawn(txt: record, database: try? JSONNode.parse(reading.bytes))
  }

  /// Returns the accessory's TXT record; nil if none was received.
  private func look(on loop: EventLoop) async throws -> [String: String]? {
    let observer = MDNSObserver(on: loop, interfaces: interfaces)
    guard await observer.open() == nil else { return nil }
    let wanted: ServiceTarget
    switch target {
    case .address(let address): wanted = .address(address)
    case .name(let name): wanted = ServiceTarget(called: name)
    case .child: preconditionFailure("no child is started for claims")
    }
    let service = try? await observer.find(wanted, within: .seconds(3), after: MDNSObserver.start)
    await observer.close()
    guard let service else { return nil }
    return Dictionary(service.textEntries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }
}
