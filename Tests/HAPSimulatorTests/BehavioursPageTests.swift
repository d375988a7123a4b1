import Foundation
import HAPModel
import Testing
@testable import HAPDevices

/// Compares `docs/reference/behaviours.md` with the registry.
@Suite("The page on behaviours") struct BehavioursPageTests {
  /// The text under each heading of the second level, by the heading.
  private func sections() throws -> [String: String] {
    let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/reference/behaviours.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    return Dictionary(
      ("\n" + text).components(separatedBy: "\n## ").dropFirst().map { section in
        let parts = section.split(separator: "\n", maxSplits: 1)
        return (String(parts[0]), String(parts.last ?? ""))
      }, uniquingKeysWith: { a, b in a + b })
  }

  /// The cells of each row that starts with a parameter.
  private func rows(_ text: String) -> [[String]] {
    text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
  }

  @Test("Each behaviour has a section with each parameter, its kind, its default, and its actions")
  func complete() throws {
    let sections = try sections()
    for kind in BehaviourRegistry.standard.kinds {
      let name = kind.service?.name ?? "Any other service"
      let text = try #require(sections[name], "\(name) has no section")
      if let identifier = kind.service?.identifier { #expect(text.contains("`\(identifier)`"), "\(name)") }
      let expected = BehaviourParameter.flattened(kind.parameters).map {
        ["`\($0.name)`", $0.kindText, "`\($0.defaultText)`"]
      }
      #expect(rows(text).map { Array($0.prefix(3)) } == expected, "\(name)")
      for action in kind.actions { #expect(text.contains("`\(action.rawValue)`"), "\(name) has no action \(action)") }
    }
  }

  @Test("Each other service of the catalogue is listed as one without a behaviour") func services() throws {
    let text = try #require(try sections()["Services without a behaviour"])
    let own = Set(BehaviourRegistry.standard.kinds.compactMap { $0.service?.type })
    let named = rows(text).flatMap { row in
      row[0].split(separator: " ").map { $0.filter { $0 != "`" && $0 != "," } }
    }
    #expect(Set(named) == Set(Catalogue.services.filter { !own.contains($0.type) }.map(\.identifier)))
  }

  @Test("Kinds and defaults are written as in a profile") func texts() {
    let member = BehaviourParameter("inner", .characteristic, default: nil, ".")
    let shown = BehaviourParameter.flattened([
      .init("a", .duration, default: .duration(.seconds(7200)), "."),
      .init("b", .duration, default: .duration(.seconds(90)), "."),
      .init("c", .duration, default: .duration(.seconds(120)), "."),
      .init("d", .duration, default: .duration(.milliseconds(60_500)), "."),
      .init("e", .choice(["x", "y"]), default: .choice("y"), "."), .init("f", .fraction, default: .fraction(0.5), "."),
      .init("g", .number(-1...2.5), default: .number(2), "."), .init("h", .flag, default: .flag(true), "."),
      .init("i", .list([member]), default: .list([]), "."), .init("j", .duration, default: .duration(.zero), "."),
      .init("k", .series, default: .series(nil), "."),
    ])
    #expect(
      shown.map { "\($0.name): \($0.kindText), \($0.defaultText)" } == [
        "a: duration, 2h", "b: duration, 90s", "c: duration, 2min", "d: duration, 60500ms", "e: x or y, y",
        "f: 0 to 1, 0.5", "g: -1 to 2.5, 2", "h: true or false, true", "i: list, none",
        "i[].inner: characteristic, required", "j: duration, 0s", "k: series, none",
      ])
  }

  @Test("The actions are those of a service with all characteristics") func actions() {
    func actions(_ service: ServiceDefinition) -> [PhysicalAction.Kind]? {
      BehaviourRegistry.standard.kind(for: service.type)?.actions
    }
    #expect(
      actions(.garageDoorOpener) == [.jam] && actions(.lightBulb) == [.press] && actions(.batteryService) == [.battery])
    #expect(actions(.thermostat) == [] && actions(.serviceLabel) == [] && actions(.accessoryInformation) == nil)
  }
}
