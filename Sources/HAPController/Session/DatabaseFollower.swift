import HAPLoop
import HAPTransport

/// Reads an accessory's database again whenever its configuration number changes.
package actor DatabaseFollower {
  private var freshness = DatabaseFreshness()
  private var isFollowing = false
  private let loop: EventLoop
  private let read: @Sendable () async throws -> Void

  /// - Parameter read: reads the database again. It was read once before.
  package init(on loop: EventLoop, read: @escaping @Sendable () async throws -> Void) {
    self.loop = loop
    self.read = read
    freshness.didRead(freshness.willRead(), at: loop.readClock())
  }

  /// Takes the configuration number of the accessory's record.
  package func configurationNumber(is number: UInt32) {
    freshness.saw(number)
    guard !isFollowing else { return }
    isFollowing = true
    // Numbers that come during the read must not wait for it.
    loop.startTask { await follow() }
  }

  /// Reads the database until it is up to date. A failed read is tried again after a back-off.
  private func follow() async {
    while let delay = freshness.delayOfRead(at: loop.readClock()) {
      guard delay == .zero else {
        // Nothing waits on a loop that has ended.
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
