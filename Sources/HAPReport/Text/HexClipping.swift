/// Cuts long runs of hexadecimal digits in plain-text reports, because they hide the rest of the message. The evidence has all
/// bytes.
extension String {
  /// Returns the text with each line's digits cut at a column.
  /// - Parameter column: characters of a line after which digits are replaced by a pointer to the evidence.
  func withShortHex(column: Int = 120) -> String {
    guard utf8.count > column else { return self }
    return lines.map { $0.lineWithShortHex(column) }.joined(separator: "\n")
  }

  /// The minimum length of a run. Fewer digits are an identifier or a number.
  private static var leastRun: Int { 32 }

  private func lineWithShortHex(_ column: Int) -> String {
    guard utf8.count > column else { return self }
    var result: [UInt8] = []
    var rest = Array(utf8)[...]
    while let first = rest.first {
      let run = rest.prefix { isHexDigit($0) }
      let room = max(Self.leastRun, column - result.count) & ~1
      if run.count >= Self.leastRun, run.count > room {
        let more = (run.count - room + 1) / 2
        result += run.prefix(room)
        result += "… (\(counted(more, "more byte")) in the evidence)".utf8
        rest = rest.dropFirst(run.count)
      } else if run.isEmpty {
        result.append(first)
        rest = rest.dropFirst()
      } else {
        result += run
        rest = rest.dropFirst(run.count)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

private func isHexDigit(_ byte: UInt8) -> Bool {
  (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
}
