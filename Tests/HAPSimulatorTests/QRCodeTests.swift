import HAPModel
import Testing
@testable import HAPHost

@Suite("QR codes")
struct QRCodeTests {
  let code = QRCode("X-HM://0071YE3U0ABCD")!

  @Test("A setup payload fits the smallest code, 21 modules wide, with its finders and timing patterns")
  func structure() {
    #expect(code.size == 21)
    let finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"].map(Array.init)
    for (left, top) in [(0, 0), (14, 0), (0, 14)] {
      for row in 0..<7 {
        for column in 0..<7 { #expect(code[left + column, top + row] == (finder[row][column] == "#")) }
      }
    }
    // Separators are light, timing alternates, and a module next to the lower finder is dark
    // (ISO/IEC 18004 §6.3, §7.9).
    for index in 0..<8 {
      #expect(!code[7, index] && !code[index, 7] && !code[13, index] && !code[index, 13])
    }
    for index in 8..<13 { #expect(code[index, 6] == (index % 2 == 0) && code[6, index] == (index % 2 == 0)) }
    #expect(code[8, 13])
  }

  @Test("The format information is level M, in both copies")
  func format() {
    // Copy 1 is around the upper left finder, most significant bit first; copy 2 is split over the other two.
    let first = [
      (0, 8), (1, 8), (2, 8), (3, 8), (4, 8), (5, 8), (7, 8), (8, 8), (8, 7), (8, 5), (8, 4), (8, 3), (8, 2), (8, 1),
      (8, 0),
    ]
    let second = (0..<7).map { (8, 20 - $0) } + (13..<21).map { ($0, 8) }
    let formats = [first, second].map { $0.reduce(0) { bits, place in bits << 1 | (code[place.0, place.1] ? 1 : 0) } }
    #expect(formats[0] == formats[1])
    #expect((formats[0] ^ 0b101_0100_0001_0010) >> 13 == 0b00)
  }

  @Test("Another text gives another code; a longer one gives a larger code")
  func differs() {
    #expect(QRCode("X-HM://0071YE3U0ABCE") != code)
    #expect(QRCode("X-HM://0071YE3U0ABCDEFGH")?.size == 25)
  }

  @Test("A text that is too long gives no code")
  func none() {
    #expect(QRCode("") == nil)
    #expect(QRCode("a\0b") == nil)
    #expect(QRCode(String(repeating: "a", count: 3000)) == nil)
  }

  /// Reads the modules from the drawn lines.
  func modules(_ lines: [String], drawnIsDark: Bool) -> [[Bool]] {
    lines.flatMap { line in
      let halves = line.map { (upper: "█▀".contains($0), lower: "█▄".contains($0)) }
      return [halves.map { $0.upper == drawnIsDark }, halves.map { $0.lower == drawnIsDark }]
    }
  }

  @Test("A code drawn in a terminal has each module and its quiet zone", arguments: [2, 4])
  func drawn(_ quietZone: Int) throws {
    let start = "\u{1B}[38;5;16;48;5;231m", end = "\u{1B}[0m"
    let coloured = code.lines(.colour, quietZone: quietZone)
    #expect(coloured.allSatisfy { $0.hasPrefix(start) && $0.hasSuffix(end) })
    let bare = coloured.map { String($0.dropFirst(start.count).dropLast(end.count)) }
    let plain = code.lines(.plain, quietZone: quietZone)
    for drawing in [modules(bare, drawnIsDark: true), modules(plain, drawnIsDark: false)] {
      #expect(drawing.count >= 21 + 2 * quietZone)
      for (row, line) in drawing.enumerated() {
        #expect(line.count == 21 + 2 * quietZone)
        for (column, isDark) in line.enumerated() { #expect(isDark == code[column - quietZone, row - quietZone]) }
      }
    }
    #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
  }
}
