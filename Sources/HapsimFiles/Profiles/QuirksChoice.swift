import HAPCommandLine
import HAPModel
import HAPProfile

/// The operand of `--quirks`: a preset, or a file with quirks.
package enum QuirksChoice: Equatable, Sendable {
  case preset(String)
  case file(String)

  /// Parses a preset's name, or a file name, which has a dot or a slash.
  /// - Throws: for other text.
  package init(_ text: String) throws(UsageError) {
    if Quirks.presets[text] != nil {
      self = .preset(text)
    } else if text.contains(where: { $0 == "." || $0 == "/" }) {
      self = .file(text)
    } else {
      throw UsageError("\(Quirks.unknownPreset(text)) (a file name must contain a dot or a slash)")
    }
  }

  /// - Throws: `FileError` or `ProfileErrors` if the file can't be read or is invalid.
  package func quirks() throws -> Quirks {
    switch self {
    case .preset(let name): Quirks.presets[name] ?? Quirks()
    case .file(let path): try Quirks(json: try readFile(path), fileName: path)
    }
  }
}
