import HAPController
import HAPLoop
import HAPModel

/// Passes the news of a search to one reader, one at a time. For a slow reader, only the latest news about each device
/// is kept.
final class SearchListener: Sendable {
  enum News: Sendable {
    /// The record has a device ID.
    case seen(FoundAccessory)
    case gone(DeviceID)
    case trouble(String)

    /// nil: not about a device.
    fileprivate var device: DeviceID? {
      switch self {
      case .seen(let found): found.device
      case .gone(let device): device
      case .trouble: nil
      }
    }

    fileprivate var forReader: SearchNews? {
      switch self {
      case .seen(let found): SeenDevice(found).map { .seen($0) }
      case .gone(let device): .gone(device)
      case .trouble(let reason): .trouble(reason)
      }
    }
  }

  private struct State: Sendable {
    /// The devices with news, in the order of their oldest one.
    var order: [DeviceID?] = []
    var latest: [DeviceID?: News] = [:]
    var isBusy = false
    var isClosed = false

    mutating func next() -> News? {
      if isClosed || order.isEmpty {
        isBusy = false
        return nil
      }
      return latest.removeValue(forKey: order.removeFirst())
    }
  }

  private let loop: EventLoop
  private let onNews: @Sendable (SearchNews) async -> Void
  private let state = Guarded(State())

  init(_ loop: EventLoop, onNews: @escaping @Sendable (SearchNews) async -> Void) {
    self.loop = loop
    self.onNews = onNews
  }

  func add(_ news: News) {
    let starts = state.withLock { state in
      if state.latest.updateValue(news, forKey: news.device) == nil { state.order.append(news.device) }
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard starts else { return }
    loop.startTask { [self] in
      while let news = state.withLock({ $0.next() }) { if let news = news.forReader { await onNews(news) } }
    }
  }

  /// Drops all news that were not passed.
  func close() { state.withLock { $0.isClosed = true } }
}

extension SeenDevice {
  /// - Returns: nil if the record has no device ID.
  init?(_ found: FoundAccessory) {
    guard let device = found.device else { return nil }
    self.init(
      device: device, name: found.name, model: found.model, category: found.categoryNumber, isPaired: found.isPaired,
      setupHash: found.accessory.setupHash, configurationNumber: found.configurationNumber, addresses: found.addresses)
  }
}
