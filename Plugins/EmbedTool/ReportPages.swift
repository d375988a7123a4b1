/// The two HTML pages of reports: templates with their styles and scripts, and with the hashes that allow only these to run.
///
/// Each page is cut at the places for the data of a run.
struct ReportPages {
  let folder: String

  func source(type: String) throws(EmbedError) -> String {
    let style = try text("report.css")
    let report = try pieces(
      of: "report.html", style, try text("report.js"), cutAt: ["title", "without script", "data"])
    let matrix = try pieces(
      of: "matrix.html", style + text("matrix.css"), try text("matrix.js"), cutAt: ["title", "body"])
    return "enum \(type) {\n" + declaration("report", report) + declaration("matrix", matrix) + "}\n"
  }

  private func text(_ name: String) throws(EmbedError) -> String { try SwiftSource.text(of: "\(folder)/\(name)") }

  private func declaration(_ name: String, _ pieces: [String]) -> String {
    "  static let \(name): [String] = [\n" + pieces.map(SwiftSource.literal).joined(separator: ",\n") + "\n  ]\n"
  }

  /// Inserts style and script into a template, and cuts it at marks such as `{{title}}`, which are in this order.
  private func pieces(of name: String, _ style: String, _ script: String, cutAt marks: [String]) throws(EmbedError)
    -> [String]
  {
    var rest = Array(try text(name).utf8)
    let contents = [
      ("style hash", Self.policyHash(style)), ("script hash", Self.policyHash(script)), ("style", style),
      ("script", script),
    ]
    for (mark, content) in contents {
      rest = try Self.replacing(mark, with: content, in: rest, of: "\(folder)/\(name)")
    }
    var pieces: [String] = []
    for mark in marks {
      let place = try Self.place(of: mark, in: rest, of: "\(folder)/\(name)")
      pieces.append(String(decoding: rest[..<place.lowerBound], as: UTF8.self))
      rest.removeSubrange(..<place.upperBound)
    }
    return pieces + [String(decoding: rest, as: UTF8.self)]
  }

  private static func replacing(_ mark: String, with content: String, in page: [UInt8], of file: String)
    throws(EmbedError) -> [UInt8]
  {
    let place = try place(of: mark, in: page, of: file)
    return page[..<place.lowerBound] + Array(content.utf8) + page[place.upperBound...]
  }

  /// Returns the first place of a mark. It compares bytes, because Swift's characters would join a mark and a following accent.
  private static func place(of mark: String, in page: [UInt8], of file: String) throws(EmbedError) -> Range<Int> {
    let wanted = Array("{{\(mark)}}".utf8)
    var index = 0
    while index + wanted.count <= page.count {
      if page[index] == wanted[0], page[index...].starts(with: wanted) { return index..<(index + wanted.count) }
      index += 1
    }
    throw EmbedError(
      "the file \(file) has no {{\(mark)}}, or not at its place: "
        + "put in each mark once, in the order that Plugins/EmbedTool/ReportPages.swift has")
  }

  /// Returns the hash that identifies an inline script or style in a content security policy.
  private static func policyHash(_ text: String) -> String { "sha256-" + base64(SHA256.hash(Array(text.utf8))) }

  private static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for position in 0..<4 {
        text.append(position <= group.count ? digits[bits >> (18 - 6 * position) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
