@testable import MatterController
import Foundation
import HAPDeviations
import HAPModel
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire
import Testing

@testable import HAPMatter

/// The reactions of the project's own controller to each built-in defect of Matter. A part of the record is a column of
/// docs/internals/defects-met-matter.md. With `HAPSIM_WRITE_PAGES=1`, the tests write the record.
@Suite("Defects of a hosted node", .serialized) struct MatterDefectTests {
  /// The step at which the controller stopped with its error, or "no error"; and the state of the node afterwards.
  struct Met: Codable, Equatable {
    var controller: String
    var node: String
  }

  static let defects = DefectLibrary.builtIn.entries.filter { $0.servedProtocol == .matter }
  private static let areas = Set(defects.map(\.area)).sorted()
  private static let recordFile = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Interop/met-matter-own.json")

  private static func record() throws -> [String: Met] {
    try JSONDecoder().decode([String: Met].self, from: Data(contentsOf: recordFile))
  }

  private static func write(_ met: [String: Met]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let merged = ((try? record()) ?? [:]).merging(met) { $1 }.filter { entry in defects.contains { $0.id == entry.key }
    }
    try (encoder.encode(merged) + Data("\n".utf8)).write(to: recordFile)
  }

  /// Checked: without the check of the nonce in `AttestationVerifier`, the record of matter-attestation-nonce-wrong
  /// differs.
  @Test(
    "The controller stops at the recorded step; then the node has no fabric and can be added, or is in the fabric",
    arguments: areas)
  func reactions(area: String) async throws {
    var met: [String: Met] = [:]
    for defect in Self.defects where defect.area == area { met[defect.id] = try await Self.met(defect) }
    if ProcessInfo.processInfo.environment["HAPSIM_WRITE_PAGES"] != nil { try Self.write(met) }
    let recorded = try Self.record()
    for (id, found) in met { #expect(found == recorded[id], "\(id)") }
  }

  @Test("The record has exactly the built-in defects, and no wrong attestation is accepted in it")
  func whole() throws {
    let recorded = try Self.record()
    #expect(Set(recorded.keys) == Set(Self.defects.map(\.id)))
    for defect in Self.defects where defect.area == "matter-attestation" {
      let met = try #require(recorded[defect.id])
      #expect(met.controller.hasPrefix("commissioning: ") && met.node == "no fabric", "\(defect.id)")
    }
  }

  @Test("Without a defect, a node has no tap")
  func noTap() async throws {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home)
      #expect(try served.withFrontEnd { $0.node?.server.tap == nil })
      try served.stop()
    }
  }

  @Test("A defect of HAP has no effect on Matter")
  func defectOfHAP() async throws {
    let defect = try #require(DefectLibrary.builtIn["read-status-beside-value"])
    #expect(try await Self.met(defect) == Met(controller: "no error", node: "no fabric"))
  }

  @Test("The authority of a defect of certificates is its own, and stays the same after a restart")
  func authority() async throws {
    let defect = try #require(DefectLibrary.builtIn["matter-dac-expired"])
    try await withMatterHome { home in
      var served = try ServedNode(Profile.light, in: home, defect: defect)
      let anchor = try #require(try served.invitation?.trustAnchor)
      try await served.command("reboot")
      #expect(try served.invitation?.trustAnchor == anchor)
      try served.stop()
      served = try ServedNode(Profile.light, in: home, defect: defect)
      #expect(try served.invitation?.trustAnchor == anchor)
      try served.stop()
      served = try ServedNode(Profile.light, in: home)
      #expect(try served.invitation?.trustAnchor != anchor)
      try served.stop()
    }
  }

  // MARK: Steps

  private static let onOff = AttributePath(1, 6, 0)
  private static let label = AttributePath(0, RootCluster.basicInformation.rawValue, 5)

  private static func met(_ defect: Defect) async throws -> Met {
    try await withMatterHome { home in
      let served = try ServedNode(Profile.light, in: home, defect: defect)
      let phone = try MatterPhone(home)
      let controller = try await failure(phone, served) ?? "no error"
      // Longer than the fail-safe.
      try await phone.sleep(.seconds(120))
      let count = try served.fabricCount
      if count == 0 { #expect(!phone.commissionable.isEmpty, "\(defect.id): the window is open") }
      try served.stop()
      try await succeed(phone, in: home, isMember: count > 0, defect.id)
      try phone.stop()
      return Met(controller: controller, node: count == 0 ? "no fabric" : "in the fabric")
    }
  }

  /// Serves the accessory without the defect, and uses it.
  private static func succeed(_ phone: MatterPhone, in home: MatterHome, isMember: Bool, _ id: String) async throws {
    let served = try ServedNode(Profile.light, in: home)
    if isMember {
      #expect(try await phone.connect() != nil, "\(id)")
    } else {
      #expect(try await phone.commission(served), "\(id): \(phone.failures)")
    }
    #expect(try await text(phone.request(.command(CommandPath(1, 6, 2)))) == nil, "\(id)")
    try served.stop()
  }

  /// Commissions and uses the node, and removes the fabric.
  /// - Returns: the step that failed, with its error; nil: all succeeded.
  private static func failure(_ phone: MatterPhone, _ served: ServedNode) async throws -> String? {
    guard try await phone.commission(served) else { return "commissioning: \(phone.failures.last ?? "no answer")" }
    let steps: [(name: String, request: InteractionRequest)] = [
      ("read", .read(AttributePattern(onOff))), ("command", .command(CommandPath(1, 6, 2))),
      ("write", .write(label, .text("Hall"))),
      ("fabric label", .command(.operationalCredentials, 9, [(0, .text("Home"))])),
      ("subscription", .subscribe(SubscribeRequest([AttributePattern(onOff)], minimum: 0, maximum: 30))),
    ]
    for step in steps {
      if let error = try await text(phone.request(step.request)) { return "\(step.name): \(error)" }
    }
    let isOn = try await served.value("On")?.boolValue == true
    try await served.command("set", "\"characteristic\": \"On\", \"value\": \(!isOn)")
    try await phone.wait(.seconds(120)) { !phone.changes.isEmpty || phone.endedSubscriptionCount > 0 }
    guard phone.changes.map({ $0.values[onOff] }) == [.bool(!isOn)] else {
      return "report: " + (phone.endedSubscriptionCount > 0 ? "no report came in time" : "\(phone.changes)")
    }
    return try await text(phone.request(.removeFabric(1))).map { "removal: \($0)" }
  }

  /// - Returns: the error of a result; nil: it is a success.
  private static func text(_ result: InteractionResult?) -> String? {
    func text(_ status: InteractionStatus?) -> String? {
      status?.code == .success ? nil : "status \(status.map { "\($0.code)" } ?? "missing")"
    }
    switch result {
    case nil: return "no answer"
    case .failure(let status): return text(status)
    case .report(let report): return report.values.isEmpty ? "no value" : nil
    case .subscription: return nil
    case .written(let items): return text(items.first?.status)
    case .invoked(let items):
      switch items.first?.outcome {
      case .status(let status): return text(status)
      case .response(_, let members):
        guard case .unsigned(let code)? = members.first?.value else { return text(nil) }
        return code == 0 ? nil : "code \(code)"
      case nil: return text(nil)
      }
    }
  }
}
