import HAPHomeSwarm
import Testing
import Foundation
@Suite struct TrySwarm {
  @Test func go() throws {
    let env = ProcessInfo.processInfo.environment
    let first = UInt64(env["FIRST"] ?? "1")!, count = UInt64(env["COUNT"] ?? "1")!
    let m = env["MUT"].flatMap { HomeMutation(rawValue: $0) }
    var c = HomeCoverage()
    for seed in first..<first+count {
      let t = Date()
      let o = try HomeRun(seed: seed, mutation: m, log: count == 1 ? { print($0) } : nil).run()
      c.add(o.coverage)
      print("seed \(seed) \(o.duration) \(o.traceHash) real \(Date().timeIntervalSince(t))")
      for v in o.violations { print("FAILED seed \(seed): \(v)") }
    }
    print(c.table)
  }
}
