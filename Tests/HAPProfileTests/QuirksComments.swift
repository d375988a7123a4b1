import Foundation
import HAPModel
import HAPProfile
import HAPTestSupport

/// The doc comments of the quirks, which docs/reference/quirks.md uses as the meaning of each field and setting.
struct QuirksComments {
  private(set) var fields: [String: String] = [:]
  /// Settings and their meanings, by the name of the enumeration.
  private(set) var choices: [String: [(setting: String, meaning: String)]] = [:]
  /// The names of the enumerations, by field.
  private(set) var types: [String: String] = [:]

  init() throws {
    for path in [
      "HAPPairing/Server/PairingQuirks", "HAPIP/Accessory/IPQuirks", "HAPAttributes/AttributeQuirks",
      "HAPModel/Values/ValueQuirks",
    ] {
      try read(Repository.root.appending(path: "Sources/\(path).swift"))
    }
  }

  private mutating func read(_ file: URL) throws {
    var comment: [String] = []
    var enumeration = ""
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if words.first == "///" {
        comment.append(words.dropFirst().joined(separator: " "))
        continue
      }
      // HAPPairing has no transport. Over IP, its statuses are those of HTTP.
      let text = comment.joined(separator: " ").replacing(/[Ss]tatus (?=[245]00\b)/, with: "HTTP ")
      if words.starts(with: ["public", "enum"]) {
        enumeration = String(words[2].dropLast())
      } else if words.first == "case" {
        let setting = words.count > 2 ? words[3...].joined(separator: " ").filter { $0 != "\"" } : words[1]
        choices[enumeration, default: []].append((setting, text))
      } else if words.starts(with: ["public", "var"]) {
        let name = String(words[2].dropLast())
        fields[name] = text
        types[name] = words[3]
      }
      comment = []
    }
  }

  /// The meaning of a field, followed by that of its settings.
  func meaning(of field: QuirksField) -> String? {
    guard let text = fields[field.name], !text.isEmpty else { return nil }
    guard case .choice(let words) = field.kind else { return text }
    guard let choices = choices[types[field.name] ?? ""], choices.map(\.setting) == words,
      choices.allSatisfy({ !$0.meaning.isEmpty })
    else { return nil }
    return text + choices.map { "<br>`\($0.setting)`: \($0.meaning)" }.joined()
  }
}
