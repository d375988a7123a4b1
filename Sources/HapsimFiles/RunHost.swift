import HAPCommandLine
import HAPCrypto
import HAPLoop
import HAPStore

/// The machine of a run: event loops, files, network interfaces, randomness and standard input. A host of a simulated
/// world also conforms.
package protocol RunHost: Sendable {
  /// Creates a loop that is not started.
  func makeLoop(_ name: String) -> EventLoop
  /// The file system of the state folder.
  var files: any StoreFiles { get }
  /// The randomness for identities and keys.
  var random: RandomSource { get }
  /// Returns the interfaces in the order of their index.
  func interfaces() -> [NetworkInterface]
  /// Raises the limit of open files to `count` if possible.
  /// - Returns: the resulting limit.
  func makeRoom(forFiles count: Int) -> Int
  /// Reads the lines of standard input. Called once, on the loop.
  func readLines(
    on loop: EventLoop, onEvent: @escaping (LineReader.Event) -> Void
  ) throws(LoopError) -> any LineSource
}

/// A source of lines that are read until it ends.
package protocol LineSource: AnyObject {
  /// Whether reading is paused. Lines that have been read may still arrive.
  var isHeld: Bool { get set }
}

extension LineReader: LineSource {}

/// The real machine.
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
}
