import Foundation
import Testing

@testable import HAPHome
@testable import HAPHomeEngine

/// The tables of delegates in docs/internals/home.md are generated from the code. With `HAPTEST_WRITE_DOCS=1` set, this
/// suite writes them.
@Suite("The table of changes and delegates")
struct DelegateTableTests {
  private static let writes = ProcessInfo.processInfo.environment["HAPTEST_WRITE_DOCS"] == "1"
  private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs/internals/home.md")

  private static var announcements: [(String, Announcement)] {
    HomeChangeName.allCases.map { ($0.rawValue, $0.announcement) }
      + HomeReport.allCases.map { ($0.rawValue, $0.announcement) }
  }

  @Test("Each change and each report has one method, or a reason for the core's stream alone")
  func changes() {
    for (name, announcement) in Self.announcements {
      switch announcement {
      case .call(let method, let note):
        #expect(method.unusedReason == nil && note != "", "\(name)")
      case .streamOnly(let reason): #expect(!reason.isEmpty, "\(name)")
      }
    }
  }

  @Test("Each of the 47 methods is called for something, or has a reason why it is not")
  func methods() {
    let called = Set(
      Self.announcements.compactMap { if case .call(let method, _) = $0.1 { method } else { nil } })
    for method in DelegateMethod.allCases {
      #expect(called.contains(method) == (method.unusedReason == nil), "\(method)")
    }
    // The counts of the protocols in the headers of the iOS 16.4 SDK.
    let counts = Dictionary(grouping: DelegateMethod.allCases, by: \.delegate).mapValues(\.count)
    #expect(counts == ["HMHomeManagerDelegate": 6, "HMHomeDelegate": 32, "HMAccessoryDelegate": 9])
  }

  @Test("A method has the kind of object that the change is about")
  func objects() {
    let types = [
      "room": "HMRoom", "zone": "HMZone", "group": "HMServiceGroup", "service": "HMService", "trigger": "HMTrigger",
      "user": "HMUser", "accessory": "HMAccessory", "action-set": "HMActionSet", "home": "HMHome",
    ]
    for kind in HomeChangeName.allCases where kind != .userRoleChanged && kind != .servicesUpdated {
      guard case .call(let method, _) = kind.announcement else { continue }
      let prefix = types.keys.filter { kind.rawValue.hasPrefix($0) }.max { $0.count < $1.count }
      guard let prefix, let type = types[prefix], method != .managerUpdatedPrimaryHome else { continue }
      #expect(method.rawValue.contains(type), "\(kind): \(method.rawValue)")
      for (ending, word) in [("-added", "didAdd"), ("-removed", "didRemove"), ("-renamed", "Name")]
      where kind.rawValue.hasSuffix(ending) {
        #expect(method.rawValue.contains(word), "\(kind): \(method.rawValue)")
      }
    }
  }

  @Test("docs/internals/home.md has the table of changes and the list of methods that nothing calls")
  func table() throws {
    let old = try String(contentsOf: Self.page, encoding: .utf8)
    let new = Self.between("changes", of: Self.between("methods", of: old, Self.unusedTable), Self.changeTable)
    if Self.writes { return try Data(new.utf8).write(to: Self.page) }
    #expect(old == new, "docs/internals/home.md is out of date; run DelegateTableTests with HAPTEST_WRITE_DOCS=1")
  }

  private static var changeTable: String {
    let rows = announcements.map { name, announcement in
      switch announcement {
      case .call(let method, let note):
        "| `\(name)` | \(method.delegate) | `\(method.rawValue)` | \(note ?? "") |"
      case .streamOnly(let reason): "| `\(name)` | – | core stream only | \(reason) |"
      }
    }
    return (["| change or report | delegate | method | note |", "|---|---|---|---|"] + rows).joined(separator: "\n")
  }

  private static var unusedTable: String {
    let rows = DelegateMethod.allCases.compactMap { method in
      method.unusedReason.map { "| \(method.delegate) | `\(method.rawValue)` | \($0) |" }
    }
    return (["| delegate | method | reason |", "|---|---|---|"] + rows).joined(separator: "\n")
  }

  /// Returns the page with a text between two marks.
  private static func between(_ name: String, of page: String, _ text: String) -> String {
    guard let start = page.range(of: "<!-- \(name) -->\n"), let end = page.range(of: "<!-- end of \(name) -->") else {
      Issue.record("docs/internals/home.md has no mark \(name)")
      return page
    }
    return page.replacingCharacters(in: start.upperBound..<end.lowerBound, with: text + "\n")
  }
}
