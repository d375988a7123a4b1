extension String {
  /// Compares secrets. The time depends only on the length of the other text.
  package func isSame(as other: String) -> Bool {
    let (known, other) = (Array(utf8), Array(other.utf8))
    var difference = known.count ^ other.count
    for (index, byte) in other.enumerated() { difference |= Int(byte ^ (index < known.count ? known[index] : ~byte)) }
    return difference == 0
  }
}
