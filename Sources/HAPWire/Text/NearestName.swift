/// Returns the probable intended name, for "did you mean"; nil if none is similar.
///
/// The case is ignored. An insertion, a deletion, a replacement or a swap of adjacent letters is one step; about a
/// third of the letters may differ.
package func nearestName(to word: String, in names: some Sequence<String>) -> String? {
  let target = Array(word.lowercased().unicodeScalars.prefix(65))
  guard !target.isEmpty, target.count <= 64 else { return nil }
  var best: (name: String, distance: Int)?
  for name in names {
    let candidate = Array(name.lowercased().unicodeScalars.prefix(65))
    guard candidate.count <= 64 else { continue }
    let allowed = max(1, max(target.count, candidate.count) / 3)
    guard abs(candidate.count - target.count) <= allowed else { continue }
    let distance = editDistance(target, candidate)
    if distance <= allowed, distance < best?.distance ?? .max { best = (name, distance) }
  }
  return best?.name
}

/// Returns the distance by optimal string alignment.
private func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
  var twoBack: [Int] = []
  var previous = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(previous[j] + (a[i] == b[j] ? 0 : 1), previous[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, twoBack[j - 1] + 1) }
      row.append(cost)
    }
    twoBack = previous
    previous = row
  }
  return previous[b.count]
}
