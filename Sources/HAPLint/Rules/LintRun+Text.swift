extension LintRun {
  /// ADB-02.
  mutating func judgeText() {
    for noted in lint.reading.faults {
      let spot = LintSpot(textOffset: noted.offset)
      switch noted.fault {
      case .memberTwice:
        report(
          .json, noted.fault.rawValue, at: spot,
          Remark(.should, "\(noted.message); readers differ in which one they take", fix: "write each member once"))
      case .tooDeep, .tooLarge:
        report(.json, noted.fault.rawValue, at: spot, Remark(.should, noted.message + ", far from any database"))
      case .trailingComma, .controlCharacter, .trailingBytes:
        report(
          .json, noted.fault.rawValue, at: spot,
          Remark(.must, noted.message, source: "aiohomekit mends it, for devices that send it", fix: "send strict JSON")
        )
      case .byteOrderMark, .notUTF8, .notANumber, .malformed:
        report(.json, noted.fault.rawValue, at: spot, Remark(.must, noted.message, fix: "send strict JSON"))
      }
    }
  }
}
