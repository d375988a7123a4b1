import HAPLoop
import HAPTransport

/// A reader that re-reads an accessory's database whenever its configuration number changes.
package actor DatabaseFollower {
  private var freshness = DatabaseFreshness()
  private var isFollowing = false
  private let loop: EventLoop
  private let read: @Sendable () async throws -> Void

  /// - Parameter read: reads the database again. The caller has already read it once.
  package init(on loop: EventLoop, read: @escaping @Sendable () async throws -> Void) {
    self.loop = loop
    self.read = read
    freshness.didRead(freshness.willRead(), at: loop.readClock())
  }

  /// Receives the configuration number of the accessory's record.
  package func configurationNumber(is number: UInt32) {
    freshness.saw(number)
    guard !isFollowing else { return }
    isFollowing = true
    // New numbers must be accepted during the read.
    loop.startTask { await follow() }
  }

  /// Reads the database until it is up to date. Retries a failed read after a back-off.
  private func follow() async {
    while let delay = freshness.delayOfRead(at: loop.readClock()) {
      guard delay == .zero else {
        // A stopped loop runs no timer.
        do { try await loop.sleep(for: delay) } catch { break }
        continue
      }
      let request = freshness.willRead()
      do {
        try await read()
        freshness.didRead(request, at: loop.readClock())
      } catch { freshness.readFailed(at: loop.readClock()) }
    }
    isFollowing = false
  }
}
