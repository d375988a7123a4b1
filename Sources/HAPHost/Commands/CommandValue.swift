import HAPDevices
import HAPModel
import HAPWire

extension Characteristic {
  /// Returns the value for a value in a command, which may be a name of the catalogue ("open"). Does not check
  /// constraints.
  ///
  /// - Throws: `invalidValue` for an unknown name, with the known names.
  package func value(ofWritten written: Value) throws(CommandError) -> Value {
    guard case .string(let text) = written, format == .bool || format.isNumeric else { return written }
    return try value(forWord: text)
  }

  private func value(forWord word: String) throws(CommandError) -> Value {
    let definition = Catalogue.characteristic(type)
    if let value = definition?.value(forWord: word) { return value }
    if let value = value(spelled: word.lowercased()) { return value }
    let name = definition?.name ?? description ?? "characteristic \(type)"
    let words = definition?.values.map(\.word) ?? []
    guard !words.isEmpty else {
      throw CommandError(
        .invalidValue, "\(name) can't be \"\(word)\": its format is \(format.rawValue), and its values have no names")
    }
    let hint =
      nearestName(to: word, in: words).map { ": did you mean \"\($0)\"?" }
      ?? "; its values are \(words.joined(separator: ", "))"
    throw CommandError(.invalidValue, "no value of \(name) is named \"\(word)\"\(hint)")
  }
}

extension Characteristic {
  /// Returns the number or truth value for an argument of a command line: "21.5", "true", "off".
  private func value(spelled text: String) -> Value? {
    if format == .bool {
      switch text {
      case "true", "on", "yes", "1": return true
      case "false", "off", "no", "0": return false
      default: return nil
      }
    }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Int128(text).map { .integer($0) } ?? Double(text).map { .float($0) }
  }
}
