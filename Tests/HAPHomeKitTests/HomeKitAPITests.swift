import Foundation
import HAPTestSupport
import Testing

/// Compares the public declarations of HAPHomeKit with those of Apple's HomeKit, which `Catalogue/homekit-api.json`
/// lists, by name, labels, types, access and numbers.
///
/// A module generated from the list has no difference: 148 types, 1,085 members. Checked: these tests fail with another
/// number of `HMHomeHubState.connected`, without `HMError.quotaExceeded` and `HMServiceTypeSwitch`, with a setter of
/// `HMHome.rooms`, with an `Int` for the async form of `HMTrigger.enable`, and without `throws`.
@Suite("The API of the facade") struct HomeKitAPITests {
  /// One extraction for all tests.
  private static let comparison = Task {
    HomeKitAPIComparison(
      list: try HomeKitAPIList.read(), facade: try await SymbolGraph.extract(module: "HAPHomeKit").declarations(),
      exceptions: .ofFacade)
  }

  @Test("The facade has each declaration of Apple's API in the same form, except for listed ones")
  func declarations() async throws {
    let comparison = try await Self.comparison.value
    for error in comparison.errors { Issue.record("\(error.name) \(error.text)") }
    let coverage = comparison.coverage
    #expect(coverage.types.all == 148)
    #expect(coverage.members.all == 1085)
    print("HomeKit API: types: \(coverage.types); members: \(coverage.members)")
  }

  @Test("The facade has no public declaration that Apple's API lacks, except for listed ones")
  func additions() async throws {
    for name in try await Self.comparison.value.unexplainedAdditions { Issue.record("\(name) is an addition") }
  }

  @Test("Each exception is necessary")
  func exceptions() async throws {
    for name in try await Self.comparison.value.unnecessary { Issue.record("the exception \(name) is unnecessary") }
  }

  @Test("Each case of an enumeration has Apple's number")
  func numbers() async throws {
    let comparison = try await Self.comparison.value
    var count = 0
    for row in comparison.list.types where row.kind == "enum" {
      let mangled = try #require(comparison.facade[row.name]?.mangled, "\(row.name) is missing")
      let type = try #require(_typeByName(mangled), "\(mangled) is not in the program")
      for member in row.members where member.row.kind == "case" {
        let number = try #require(member.row.value)
        #expect(caseName(number, of: type) == member.row.swift, "\(row.name) \(number)")
        count += 1
      }
    }
    #expect(count == 340)
  }

  /// The name of the case with a number; nil if the enumeration has no such case.
  private func caseName(_ number: Int, of type: Any.Type) -> String? {
    func name<Case: RawRepresentable>(_ type: Case.Type, _ raw: Case.RawValue) -> String? {
      type.init(rawValue: raw).map { "\($0)" }
    }
    if let type = type as? any RawRepresentable<Int>.Type { return name(type, number) }
    if let type = type as? any RawRepresentable<UInt>.Type { return UInt(exactly: number).flatMap { name(type, $0) } }
    return nil
  }

  @Test("Each constant has Apple's text, and each type property the number of its case")
  func texts() throws {
    let sources = try FacadeSources.read()
    let list = try HomeKitAPIList.read()
    var count = 0
    for type in list.types {
      // The properties of HMError are those of its codes.
      let cases = list.types.first { $0.name == "\(type.name).Code" } ?? type
      for member in type.members where ["constant", "class-property"].contains(member.row.kind) {
        let number = member.row.value.map { "\($0)" }
        // `HMError.errorDomain` returns a constant.
        guard let expected = member.row.uuid ?? member.row.text ?? number, member.row.swift != "errorDomain" else {
          continue
        }
        switch sources.values[member.name] {
        case .text(let text)?: #expect(text == expected, "\(member.name)")
        case .alias(let name)?:
          let value = cases.members.first { $0.row.kind == "case" && $0.row.swift == name }?.row.value
          #expect(value.map { "\($0)" } == expected, "\(member.name)")
        case nil: Issue.record("\(member.name) has no value")
        }
        count += 1
      }
    }
    #expect(count == 253 + 115, "constants, and type properties")
  }
}

/// The values in the sources of the facade that a symbol graph does not have.
private struct FacadeSources {
  enum Value {
    /// A text or a number.
    case text(String)
    /// The name of a case.
    case alias(String)
  }

  /// By the name of a constant, or those of a type and its property: "HMError.notFound".
  private(set) var values: [String: Value] = [:]

  static func read() throws -> FacadeSources {
    var sources = FacadeSources()
    let folder = Repository.root.appending(path: "Sources/HAPHomeKit/Constants")
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      sources.add(try String(contentsOf: file, encoding: .utf8))
    }
    return sources
  }

  private mutating func add(_ text: String) {
    var types: [(indentation: Int, name: String)] = []
    for line in text.split(separator: "\n").map(String.init) {
      let indentation = line.prefix { $0 == " " }.count
      types.removeAll { $0.indentation >= indentation && line.last != "}" }
      func name(_ end: Substring) -> String { (types.map(\.name) + [String(end)]).joined(separator: ".") }
      if let type = line.firstMatch(of: /(?:enum|struct|extension) (\w+).* \{$/) {
        types.append((indentation, String(type.1)))
      } else if let found = line.firstMatch(of: /public let (\w+): String = "(.*)"/) {
        values[String(found.1)] = .text(String(found.2))
      } else if let found = line.firstMatch(of: /static let (\w+): .*\(rawValue: "?(\w+)"?\)/) {
        values[name(found.1)] = .text(String(found.2))
      } else if let found = line.firstMatch(of: /static var (\w+): .* \{ \.(\w+) \}/) {
        values[name(found.1)] = .alias(String(found.2))
      }
    }
  }
}
