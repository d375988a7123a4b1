// Measures a Matter node without sockets, and prints microseconds of CPU, for Benchmarks/matter_node.py.
//
//   MatterNodeTool COUNT    each line has a name and the mean of COUNT, or less for what takes longer:
//                           floor (a sealed message, its echo and the acknowledgement, by the message layer alone), read (one attribute),
//                           wildcard (600 attributes of 60 lights), pase (the responder alone), case, resumption
//
// On sockets of 127.0.0.1, for Benchmarks/matter_sockets.py. A driver performs as many operations as each line of its input says:
//
//   MatterNodeTool serve-echo PORT                      answers sealed messages with themselves, and does nothing else
//   MatterNodeTool drive-echo PORT                      sends such messages
//   MatterNodeTool drive-node PORT PASSCODE AUTHORITY   commissions a node, and reads OnOff; AUTHORITY is its trust anchor, in hexadecimal
import HAPCrypto
import MatterInteraction
import MatterModel
import MatterProtocol

/// The passcode of the node, with how the node knows it.
let passcode: UInt32 = 20_202_021
let salt = [UInt8](repeating: 1, count: 32)
let iterations = 1000

let words = CommandLine.arguments
switch words.dropFirst().first {
case "serve-echo": SealedEcho.serve(port: UInt16(words[2]) ?? 0)
case "drive-echo": driveEcho(port: UInt16(words[2]) ?? 0)
case "drive-node":
  let digits = Array(words[4])
  let authority = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
    UInt8(String(digits[$0...$0 + 1]), radix: 16)
  }
  try driveNode(port: UInt16(words[2]) ?? 0, passcode: UInt32(words[3]) ?? 0, authority: authority)
default: break
}

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

show("floor", SealedEcho.cpu(count), count)
let bench = try NodeBench(access)
let onOff = AttributePattern(3, 6, 0)
try measure("read", count, bench) { try $0.read(onOff, expecting: 1) }
try measure("wildcard", max(1, count / 100), bench) { try $0.read(AttributePattern(nil, 6), expecting: 600) }
let handshakes = max(1, count / 20)
show("pase", try pase(handshakes, access), handshakes)
try measure("case", handshakes, bench) { try $0.connect(resuming: false) }
try measure("resumption", handshakes, bench) { try $0.connect(resuming: true) }
