extension LintRun {
  /// Checks ADB-02: the text is strict JSON.
  mutating func judgeText() {
    for noted in lint.reading.faults {
      let spot = LintSpot(textOffset: noted.offset)
      switch noted.fault {
      case .memberTwice:
        report(
          .json, noted.fault.rawValue, at: spot,
          Remark(.should, "\(noted.message); readers differ in the one that they use", fix: "write each member once"))
      case .tooDeep, .tooLarge:
        report(.json, noted.fault.rawValue, at: spot, Remark(.should, noted.message + ", unlike any real database"))
      case .trailingComma, .controlCharacter, .trailingBytes:
        report(
          .json, noted.fault.rawValue, at: spot,
          Remark(
            .must, noted.message, source: "aiohomekit repairs it, because devices send it", fix: "send strict JSON")
        )
      case .byteOrderMark, .notUTF8, .notANumber, .malformed:
        report(.json, noted.fault.rawValue, at: spot, Remark(.must, noted.message, fix: "send strict JSON"))
      }
    }
  }
}
