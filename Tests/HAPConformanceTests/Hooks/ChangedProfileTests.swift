import Foundation
import HAPProfile
import HAPWire
import Testing

@testable import HAPTarget

@Suite("A profile with added and removed parts") struct ChangedProfileTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Profiles")

  private func profile(_ name: String) throws -> ChangedProfile {
    ChangedProfile(json: Array(try Data(contentsOf: Self.folder.appending(path: "\(name).hasaccessory"))))
  }

  private func tree(_ profile: ChangedProfile) throws -> JSONNode { try JSONNode.parse(profile.json) }

  private func failure(_ body: () throws(HookFailure) -> Void) -> HookFailure? {
    do throws(HookFailure) { try body() } catch { return error }
    return nil
  }

  /// Whether hapsim could serve the profile.
  private func isGood(_ profile: ChangedProfile) -> Bool {
    (try? AccessoryProfile(json: profile.json, fileName: "changed.hasaccessory")).map { profile in
      !profile.problems.contains { $0.severity == .error }
    } ?? false
  }

  @Test("Each addition adds a different accessory to a bridge; a removal removes the last one") func bridge() throws {
    var profile = try profile("bridge-two-lights")
    let before = try tree(profile)["bridgedAccessories"]?.elements?.count ?? 0
    try profile.add()
    try profile.add()
    #expect(isGood(profile))
    let added = try tree(profile)["bridgedAccessories"]?.elements?.suffix(2).map { $0 } ?? []
    #expect(added.count == 2 && added[0]["name"] != added[1]["name"])
    let types = added.map { $0["services"]?.elements?.first?["type"]?.stringValue }
    #expect(types[0] != types[1])
    try profile.remove()
    try profile.remove()
    try profile.remove()
    #expect(try tree(profile)["bridgedAccessories"]?.elements?.count == before - 1)
    #expect(isGood(profile))
  }

  @Test("An addition to any other accessory adds a service, and a removal removes it") func plain() throws {
    var profile = try profile("lock")
    let before = try tree(profile)["services"]?.elements?.count ?? 0
    try profile.add()
    #expect(isGood(profile))
    #expect(try tree(profile)["services"]?.elements?.count == before + 1)
    #expect(try tree(profile)["services"]?.elements?.last?["type"]?.stringValue == "Switch")
    try profile.remove()
    #expect(try tree(profile)["services"]?.elements?.count == before)
    // A removed service never returns: the next addition is a different one.
    try profile.add()
    #expect(try tree(profile)["services"]?.elements?.last?["type"]?.stringValue == "Outlet")
  }

  @Test("A removal that would leave nothing, and any change of an invalid profile, is refused") func refusals() throws {
    var plain = ChangedProfile(json: Array(#"{"services":[{"type":"Switch"}]}"#.utf8))
    #expect(failure { () throws(HookFailure) in try plain.remove() }?.code == .unavailable)
    var bridge = ChangedProfile(json: Array(#"{"bridgedAccessories":[{}]}"#.utf8))
    #expect(failure { () throws(HookFailure) in try bridge.remove() }?.code == .unavailable)
    var linked = ChangedProfile(
      json: Array(#"{"services":[{"type":"A","linked":["b"]},{"type":"B","id":"b"},{"type":"C","primary":true}]}"#.utf8)
    )
    #expect(failure { () throws(HookFailure) in try linked.remove() }?.code == .unavailable)
    for text in ["", "[]", "{", #"{"services":5}"#] {
      var none = ChangedProfile(json: Array(text.utf8))
      #expect(failure { () throws(HookFailure) in try none.add() }?.code == .unavailable)
      #expect(failure { () throws(HookFailure) in try none.remove() }?.code == .unavailable)
      #expect(none.json == Array(text.utf8))
    }
  }

  @Test("A command that names one profile gets a copy that changes") func served() throws {
    let path = Self.folder.appending(path: "lock.hasaccessory").path()
    let original = try Data(contentsOf: URL(filePath: path))
    var served = ServedProfile(servedBy: "hapsim run '\(path)' --commands")
    let copy = try #require(try served?.changed(by: .addAccessory))
    #expect(copy != path && copy.hasSuffix(".hasaccessory"))
    #expect(try Data(contentsOf: URL(filePath: copy)).count > original.count)
    #expect(try served?.changed(by: .removeAccessory) == copy)
    #expect(try Data(contentsOf: URL(filePath: copy)) == original)
    #expect(try Data(contentsOf: URL(filePath: path)) == original)
    served = nil
    #expect(!FileManager.default.fileExists(atPath: copy))
  }

  @Test("A command with no profile, several profiles or a missing one gets no copy") func notServed() {
    let path = Self.folder.path()
    for command in [
      "hapsim run", "hapsim run \(path)/lock.hasaccessory \(path)/fan.hasaccessory", "hapsim run none.hasaccessory",
    ] {
      #expect(ServedProfile(servedBy: command) == nil)
    }
  }
}
