import HAPLoop
import HAPSimulatorCore

extension World {
  /// A TCP connection of a host in a simulated world. It is closed when the last reference to it is released.
  public final class Connection: Sendable {
    private let channel: WorldChannel

    init(_ channel: WorldChannel) { self.channel = channel }

    deinit { close() }

    /// Waits for bytes, and returns the bytes that have arrived. Only one task at a time can read.
    /// - Parameter limit: the maximum number of bytes to return, at least 1.
    /// - Returns: 1 to `limit` bytes; none: the other side has finished sending.
    /// - Throws: ``SimulatorError/Code/reset``, ``SimulatorError/Code/timedOut``: the connection is broken;
    ///   ``SimulatorError/Code/stopped``: it was closed, or the host has crashed; ``SimulatorError/Code/cancelled``:
    ///   no bytes were removed; ``SimulatorError/Code/notPossible``: another task reads.
    public func read(atMost limit: Int = 65_536) async throws(SimulatorError) -> [UInt8] {
      guard limit > 0 else { throw SimulatorError(.invalidValue, "a read takes at least 1 byte, not \(limit)") }
      return try await failing { () throws(SimulationFailure) in try await channel.read(atMost: limit) }
    }

    /// Sends bytes. Returns when the host's network has accepted the last byte, which is before it arrives.
    /// - Throws: as ``read(atMost:)``; some of the bytes may have been sent.
    public func write(_ bytes: [UInt8]) async throws(SimulatorError) {
      try await failing { () throws(SimulationFailure) in try await channel.write(bytes) }
    }

    /// Stops sending. Reading is still possible.
    public func finishWriting() { channel.onLoop { $0.finishWriting() } }

    /// Closes the connection. Waiting reads fail with ``SimulatorError/Code/stopped``. May be called repeatedly.
    public func close() { channel.onLoop { $0.close() } }

    /// Resets the connection: the other side receives a reset.
    public func reset() { channel.onLoop { $0.reset() } }
  }
}
