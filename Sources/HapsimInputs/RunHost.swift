import HAPCommandLine
import HAPCrypto
import HAPLoop
import HAPStore

/// The machine of a run: event loops, files, network interfaces, randomness and standard input. A host of a simulated world is one too.
package protocol RunHost: Sendable {
  /// Makes a loop that is not started.
  func makeLoop(_ name: String) -> EventLoop
  /// Of the state folder.
  var files: any StoreFiles { get }
  /// For identities and keys.
  var random: RandomSource { get }
  /// The interfaces in the order of their index.
  func interfaces() -> [NetworkInterface]
  /// Raises the limit of open files up to `count` where it can.
  /// - Returns: the limit then.
  func makeRoom(forFiles count: Int) -> Int
  /// Reads the lines of standard input. Called once, on the loop.
  func readLines(
    on loop: EventLoop, onEvent: @escaping (LineReader.Event) -> Void
  ) throws(LoopError) -> any LineSource
  /// Whether `hapsim ctl` can find a run of this host.
  var hasLocalControl: Bool { get }
}

/// Lines that are read until nothing more comes.
package protocol LineSource: AnyObject {
  /// While true, nothing is read beyond what has been; lines of that may still come.
  var isHeld: Bool { get set }
}

extension LineReader: LineSource {}

/// The machine that the program was started on.
package struct SystemHost: RunHost {
  package func makeLoop(_ name: String) -> EventLoop { EventLoop(name: name) }
  package var files: any StoreFiles { SystemFiles() }
  package let random = RandomSource { SystemRandom.fill($0) }

  package init() {}

  package func interfaces() -> [NetworkInterface] { NetworkInterface.all() }
  package func makeRoom(forFiles count: Int) -> Int { raiseDescriptorLimit(to: count) }

  package func readLines(
    on loop: EventLoop, onEvent: @escaping (LineReader.Event) -> Void
  ) throws(LoopError) -> any LineSource {
    try LineReader(loop, onEvent: onEvent)
  }

  package var hasLocalControl: Bool { true }
}
