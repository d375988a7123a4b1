import HAPHubLink
import HAPLoop

/// The events of a link and the ends of waits as one sequence with one reader: a cancelled wait for the next event would end
/// the link's own sequence.
final class HomeFeed: Sendable {
  enum Item: Sendable {
    case event(HubEvent)
    /// A wait has ended.
    case time
  }

  private let loop: EventLoop
  private let items: AsyncStream<Item>
  private let item: AsyncStream<Item>.Continuation
  private let pump: Task<Void, Never>

  init(_ link: any HomeLink, on loop: EventLoop) {
    let (items, item) = AsyncStream.makeStream(of: Item.self)
    (self.loop, self.items, self.item) = (loop, items, item)
    pump = loop.startTask {
      for await event in link.events { item.yield(.event(event)) }
      item.finish()
    }
  }

  /// Passes events to `body` for a duration, or until it returns false.
  /// - Parameter duration: nil: without a limit.
  /// - Returns: whether the link still exists.
  func follow(for duration: Duration?, _ body: (HubEvent) -> Bool) async -> Bool {
    let (loop, item) = (loop, item)
    let timer = duration.map { duration in
      loop.startTask {
        do { try await loop.sleep(for: duration) } catch { return }
        item.yield(.time)
      }
    }
    defer { timer?.cancel() }
    for await next in items {
      switch next {
      case .time: return true
      case .event(let event): if !body(event) { return true }
      }
    }
    return false
  }

  func close() {
    pump.cancel()
    item.finish()
  }
}
