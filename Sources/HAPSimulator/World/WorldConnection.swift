import HAPLoop
import HAPSimulatorCore

extension World {
  /// A TCP connection of a host in a simulated world. When nothing refers to it any more, it is closed.
  public final class Connection: Sendable {
    private let channel: WorldChannel

    init(_ channel: WorldChannel) { self.channel = channel }

    deinit { close() }

    /// Waits for bytes, and takes what has come. One task at a time can read.
    /// - Parameter limit: the most bytes to take, from 1.
    /// - Returns: 1 to `limit` bytes; none: the other side sends no more.
    /// - Throws: ``SimulatorError/Code/reset``, ``SimulatorError/Code/timedOut``: the connection is broken; ``SimulatorError/Code/stopped``: it was
    ///   closed, or the host has crashed; ``SimulatorError/Code/cancelled``: nothing was taken; ``SimulatorError/Code/notPossible``: another task reads.
    public func read(atMost limit: Int = 65_536) async throws(SimulatorError) -> [UInt8] {
      guard limit > 0 else { throw SimulatorError(.invalidValue, "a read takes at least 1 byte, not \(limit)") }
      return try await failing { () throws(SimulationFailure) in try await channel.read(atMost: limit) }
    }

    /// Sends bytes. Returns when the host's network has taken the last, which is before they arrive.
    /// - Throws: as ``read(atMost:)``; some of the bytes may have been sent.
    public func write(_ bytes: [UInt8]) async throws(SimulatorError) {
      try await failing { () throws(SimulationFailure) in try await channel.write(bytes) }
    }

    /// Sends no more, and still reads.
    public func finishWriting() { channel.onLoop { $0.finishWriting() } }

    /// Closes the connection. Reads that wait fail with ``SimulatorError/Code/stopped``. Any number of times.
    public func close() { channel.onLoop { $0.close() } }

    /// Breaks the connection off: the other side sees a reset.
    public func reset() { channel.onLoop { $0.reset() } }
  }
}
