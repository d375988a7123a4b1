import CQRencode

/// A QR code as a matrix of modules, for the terminal and the page.
package struct QRCode: Equatable, Sendable {
  /// Modules along one side, without the quiet zone: 21 for a setup payload.
  package let size: Int
  /// Row by row; true is dark.
  private let modules: [Bool]

  /// Encodes text with error correction level M, in the smallest possible size.
  ///
  /// - Returns: `nil` if the text is empty, contains a zero byte, or is too long for a QR code (above some 2300
  ///   bytes).
  package init?(_ text: String) {
    guard !text.isEmpty, !text.utf8.contains(0),
      let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1)
    else { return nil }
    defer { QRcode_free(code) }
    size = Int(code.pointee.width)
    // The lowest bit of a byte is its module; the other bits are its type.
    modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
  }

  /// Returns whether a module is dark. Everything outside of the code is light.
  package subscript(column: Int, row: Int) -> Bool {
    (0..<size).contains(column) && (0..<size).contains(row) && modules[row * size + column]
  }
}

extension QRCode {
  /// How a code is drawn in a terminal.
  package enum Ink: Sendable {
    /// Black on white by escape sequences, independent of the terminal's colours.
    case colour
    /// No escape sequences: light modules are drawn and dark ones are left out, which is correct on a dark background.
    case plain
  }

  /// Returns the code in half blocks, two modules per character: the lines of a terminal from top to bottom, without
  /// line ends.
  ///
  /// - Parameter quietZone: light modules around the code. ISO/IEC 18004 requires 4; cameras accept 2, which saves
  ///   space.
  package func lines(_ ink: Ink, quietZone: Int = 2) -> [String] {
    let range = -quietZone..<size + quietZone
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      let line = range.map { column in block(self[column, row], self[column, row + 1], ink) }.joined()
      // Numbers 16 and 231 are pure black and white in the fixed part of the palette, which themes do not change.
      return ink == .colour ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line
    }
  }

  private func block(_ isUpperDark: Bool, _ isLowerDark: Bool, _ ink: Ink) -> String {
    switch (isUpperDark == (ink == .colour), isLowerDark == (ink == .colour)) {
    case (true, true): "█"
    case (true, false): "▀"
    case (false, true): "▄"
    case (false, false): " "
    }
  }
}
