// Measures a Matter node without sockets, and prints microseconds of CPU, for Benchmarks/matter_node.py.
//
//   MatterNodeTool COUNT    each line has a name and the mean of COUNT, or less for what takes longer:
//                           floor (a sealed message, its echo and the acknowledgement, by the message layer alone), read (one attribute),
//                           wildcard (600 attributes of 60 lights), pase (the responder alone), case, resumption
import HAPCrypto
import MatterInteraction
import MatterModel
import MatterProtocol

/// The passcode of the node, with how the node knows it.
let passcode: UInt32 = 20_202_021
let salt = [UInt8](repeating: 1, count: 32)
let iterations = 1000

guard CommandLine.arguments.count == 2, let count = Int(CommandLine.arguments[1]), count > 0,
  let secrets = SPAKE2Plus.Secrets(passcode: passcode, salt: salt, iterations: iterations),
  let access = PasscodeAccess(verifier: secrets.verifier, iterations: iterations, salt: salt)
else { preconditionFailure("usage: MatterNodeTool COUNT") }

func show(_ name: String, _ seconds: Double, _ count: Int) { print(name, seconds / Double(count) * 1e6) }

/// Runs an operation once, and then `count` times.
func measure(_ name: String, _ count: Int, _ bench: NodeBench, _ operation: (NodeBench) throws -> Void) rethrows {
  try operation(bench)
  bench.cpu = 0
  for _ in 0..<count { try operation(bench) }
  show(name, bench.cpu, count)
}

show("floor", floor(count), count)
let bench = try NodeBench(access)
let onOff = AttributePattern(3, 6, 0)
try measure("read", count, bench) { try $0.read(onOff, expecting: 1) }
try measure("wildcard", max(1, count / 100), bench) { try $0.read(AttributePattern(nil, 6), expecting: 600) }
let handshakes = max(1, count / 20)
show("pase", try pase(handshakes, access), handshakes)
try measure("case", handshakes, bench) { try $0.connect(resuming: false) }
try measure("resumption", handshakes, bench) { try $0.connect(resuming: true) }
