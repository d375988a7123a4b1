import Foundation
import FuzzTargets
import Testing

/// Runs the stored corpora, unchanged and with a few thousand changes from a fixed seed.
/// `make fuzz` runs libFuzzer itself.
@Suite("Fuzz targets over their corpora") struct CorpusTests {
  private static let corpora = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fuzz/Corpus").standardizedFileURL

  private static func corpus(_ target: FuzzTarget) throws -> [[UInt8]] {
    try FileManager.default.contentsOfDirectory(
      at: corpora.appending(path: target.rawValue), includingPropertiesForKeys: nil
    )
    .sorted { $0.lastPathComponent < $1.lastPathComponent }
    .map { [UInt8](try Data(contentsOf: $0)) }
  }

  @Test("No stored input traps", arguments: FuzzTarget.allCases)
  func kept(_ target: FuzzTarget) throws {
    let corpus = try Self.corpus(target)
    #expect(!corpus.isEmpty)
    for input in corpus { input.withUnsafeBytes { target.run($0) } }
  }

  @Test("No mutation of a stored input traps, with a fixed seed", arguments: FuzzTarget.allCases)
  func changed(_ target: FuzzTarget) throws {
    let corpus = try Self.corpus(target).filter { $0.count <= target.longestInput }
    var random = FixedRandom(state: 2026)
    for _
      in 0..<([.connection, .profile, .capture, .import, .lint, .mdns, .scenario, .judge, .mattermessages].contains(
        target) ? 300 : 3000)
    {
      var input = corpus.randomElement(using: &random) ?? []
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        Self.change(&input, corpus, using: &random)
      }
      input.prefix(target.longestInput).withUnsafeBytes { target.run($0) }
    }
  }

  private static func change(_ input: inout [UInt8], _ corpus: [[UInt8]], using random: inout FixedRandom) {
    let place = Int.random(in: 0...input.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: if place < input.count { input[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    case 1: input.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 2: if place < input.count { input.remove(at: place) }
    case 3: input.removeSubrange(place...)
    default:
      guard let other = corpus.randomElement(using: &random) else { return }
      input.replaceSubrange(place..., with: other.suffix(Int.random(in: 0...other.count, using: &random)))
    }
  }
}

/// SplitMix64: the same sequence in each run.
private struct FixedRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
