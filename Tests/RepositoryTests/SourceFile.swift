import Foundation

/// A Swift file of the checkout, with its path there.
struct SourceFile {
  /// The path relative to `Package.swift`.
  let path: String
  let lines: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// All Swift files below folders, sorted by path, without generated ones.
  static func all(in folders: [String]) throws -> [SourceFile] {
    let root = Checkout.folder.path + "/"
    return try folders.flatMap { folder in
      let found = try FileManager.default.enumerator(atPath: root + folder).orFail("there is no folder \(folder)")
      let names = found.compactMap { $0 as? String }.filter {
        $0.hasSuffix(".swift") && !$0.hasSuffix(".generated.swift")
      }
      return try names.sorted().map { name in
        let path = "\(folder)/\(name)"
        return SourceFile(path: path, text: try String(contentsOfFile: root + path, encoding: .utf8))
      }
    }
  }

  /// The lines of the text, without the empty one after the last line end.
  var lineCount: Int { lines.last == "" ? lines.count - 1 : lines.count }

  private static let modifiers = #"(?:(?:@\w+(?:\([^)]*\))?|\w+(?:\(\w+\))?) )*"#
  private static let declaration = try! NSRegularExpression(
    pattern: #"^( *)"# + modifiers + #"(?:func ([^\s(<]+)|(init)[?!]?[(<]|(deinit) \{|(subscript)[(<])"#)

  /// The functions with more than one line, counted from the declaration to the closing bracket, without attributes
  /// above.
  ///
  /// A function ends at the first line with a closing bracket at the indentation of its declaration, as the formatter
  /// writes it.
  var functions: [(name: String, lines: Int)] {
    var functions: [(name: String, lines: Int)] = []
    for (number, line) in lines.enumerated() where line.contains("(") || line.contains("deinit") {
      let range = NSRange(line.startIndex..., in: line)
      guard let match = Self.declaration.firstMatch(in: line, range: range) else { continue }
      func group(_ index: Int) -> String? { Range(match.range(at: index), in: line).map { String(line[$0]) } }
      guard let name = (2...5).lazy.compactMap(group).first, let indentation = group(1) else { continue }
      if line.hasSuffix("}") { continue }
      for (offset, other) in lines[(number + 1)...].enumerated() {
        if other == indentation + "}" {
          functions.append((name, offset + 2))
          break
        }
        // The declaration has no body, or only the brackets of its parameters follow.
        let isInside = other.isEmpty || other.hasPrefix(indentation + " ")
        if !isInside, !other.hasPrefix(indentation + ")"), !other.hasPrefix(indentation + "{") { break }
      }
    }
    return functions
  }
}
