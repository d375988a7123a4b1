import CTurboJPEG

/// A picture of red, green and blue bytes, row by row, that can be drawn on.
struct Picture {
  struct Colour: Equatable {
    let red, green, blue: UInt8

    static let black = Colour(red: 0, green: 0, blue: 0), white = Colour(red: 255, green: 255, blue: 255)
  }

  let width, height: Int
  private(set) var bytes: [UInt8]

  /// Black.
  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    bytes = [UInt8](repeating: 0, count: width * height * 3)
  }

  /// Fills a rectangle. Parts outside the picture are ignored.
  mutating func fill(x: Range<Int>, y: Range<Int>, _ colour: Colour) {
    let (rows, columns) = (y.clamped(to: 0..<height), x.clamped(to: 0..<width))
    guard !rows.isEmpty, !columns.isEmpty else { return }
    let first = (rows.lowerBound * width + columns.lowerBound) * 3
    let count = columns.count * 3
    for place in stride(from: first, to: first + count, by: 3) {
      bytes[place] = colour.red
      bytes[place + 1] = colour.green
      bytes[place + 2] = colour.blue
    }
    // The other rows are copies of the first.
    let (pitch, rowCount) = (width * 3, rows.count)
    bytes.withUnsafeMutableBytes { bytes in
      let row = UnsafeRawBufferPointer(rebasing: bytes[first..<first + count])
      for index in 1..<rowCount {
        UnsafeMutableRawBufferPointer(rebasing: bytes[(first + index * pitch)...]).copyMemory(from: row)
      }
    }
  }

  /// - Parameter dot: the side of a dot of the letters, in pixels.
  mutating func write(_ text: String, x: Int, y: Int, dot: Int, _ colour: Colour) {
    for (index, character) in text.enumerated() {
      let left = x + index * (PixelFont.width + 1) * dot
      for row in 0..<PixelFont.height {
        for column in 0..<PixelFont.width where PixelFont.isSet(character, x: column, y: row) {
          let (startX, startY) = (left + column * dot, y + row * dot)
          fill(x: startX..<startX + dot, y: startY..<startY + dot, colour)
        }
      }
    }
  }

  /// Returns `nil` if the library has no memory for it.
  func jpeg(quality: Int32) -> [UInt8]? {
    guard let compressor = tjInitCompress() else { return nil }
    defer { tjDestroy(compressor) }
    var output: UnsafeMutablePointer<UInt8>?
    var size: UInt = 0
    defer { tjFree(output) }
    let status = bytes.withUnsafeBufferPointer {
      tjCompress2(
        compressor, $0.baseAddress, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue), &output, &size,
        Int32(TJSAMP_420.rawValue), quality, 0)
    }
    guard status == 0, let output else { return nil }
    return Array(UnsafeBufferPointer(start: output, count: Int(size)))
  }
}
