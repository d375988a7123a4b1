import HAPCommandLine
import HAPModel
import HAPProfile

/// What `--conduct` names: a preset, or a file that has a conduct in it.
package enum ConductChoice: Equatable, Sendable {
  case preset(String)
  case file(String)

  /// A preset's name is a preset, anything with a dot or a slash in it a file.
  /// - Throws: for a name that is neither.
  package init(_ text: String) throws(UsageError) {
    if Conduct.presets[text] != nil {
      self = .preset(text)
    } else if text.contains(where: { $0 == "." || $0 == "/" }) {
      self = .file(text)
    } else {
      throw UsageError("\(Conduct.unknownPreset(text)) (a file's name has a dot or a slash in it)")
    }
  }

  /// - Throws: `FileError` or `ProfileErrors` when it is a file that can't be read.
  package func conduct() throws -> Conduct {
    switch self {
    case .preset(let name): Conduct.presets[name] ?? Conduct()
    case .file(let path): try Conduct(json: try readFile(path), fileName: path)
    }
  }
}
