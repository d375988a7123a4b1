import Foundation
import HAPHubLink
import HAPLoop
import HAPModel

/// A search for accessories on the network that can be added to a home. HMAccessoryBrowser
///
/// The hub searches. An accessory is listed until it is added to a home, is paired by another controller, or leaves the
/// network. Keep a reference to the browser: without it, its accessories can't be identified.
public final class HMAccessoryBrowser: NSObject, Sendable {
  private struct Listed: Sendable {
    let found: FoundAccessory
    let accessory: HMAccessory
  }

  private let search: AccessorySearch
  private let listed = Guarded<[Listed]>([])
  private let slot = DelegateSlot<any HMAccessoryBrowserDelegate>()

  /// Creates a browser, which attaches to the hub at the first start of a search.
  public override convenience init() { self.init(AppPlaces.found) }

  package init(_ place: any AppPlace) {
    search = AccessorySearch(place)
    super.init()
    search.observe { [weak self] news in self?.take(news) }
  }

  /// The delegate, which is not retained. It is called on the main queue.
  public var delegate: (any HMAccessoryBrowserDelegate)? {
    get { slot.delegate }
    set { slot.set { [weak newValue] in newValue } }
  }

  /// The accessories, in the order in which they appeared. After the end of a search, the list stays until the next one.
  public var discoveredAccessories: [HMAccessory] { listed.withLock { $0.map(\.accessory) } }

  /// Begins a search with an empty list: accessories that are still on the network are reported again.
  ///
  /// Without a hub, the search begins when there is one.
  public func startSearchingForNewAccessories() {
    listed.withLock { $0 = [] }
    search.start()
  }

  /// Ends the search.
  public func stopSearchingForNewAccessories() { search.stop() }

  // MARK: News, in work items of the main queue

  private func take(_ news: AccessorySearch.News) {
    switch news {
    case .found(let record):
      let found = FoundAccessory(record, search.session)
      let accessory = HMAccessory(found)
      listed.withLock { $0.append(Listed(found: found, accessory: accessory)) }
      delegate?.accessoryBrowser(self, didFindNewAccessory: accessory)
    case .changed(let record):
      listed.withLock { $0.first { $0.found.news.device == record.device } }?.found.update(record)
    case .gone(let device):
      let gone = listed.withLock { listed in
        listed.firstIndex { $0.found.news.device == device }.map { listed.remove(at: $0) }
      }
      if let gone { delegate?.accessoryBrowser(self, didRemoveNewAccessory: gone.accessory) }
    }
  }
}

/// Called on the main queue for the accessories of a search. HMAccessoryBrowserDelegate
public protocol HMAccessoryBrowserDelegate: NSObjectProtocol {
  /// An accessory appeared. Called once for each.
  func accessoryBrowser(_ browser: HMAccessoryBrowser, didFindNewAccessory accessory: HMAccessory)
  /// An accessory can no longer be added: it is in a home now, has a pairing, or left the network.
  func accessoryBrowser(_ browser: HMAccessoryBrowser, didRemoveNewAccessory accessory: HMAccessory)
}

// Apple's protocol has optional methods. Swift has them only with Objective-C.
extension HMAccessoryBrowserDelegate {
  /// Does nothing.
  public func accessoryBrowser(_ browser: HMAccessoryBrowser, didFindNewAccessory accessory: HMAccessory) {}
  /// Does nothing.
  public func accessoryBrowser(_ browser: HMAccessoryBrowser, didRemoveNewAccessory accessory: HMAccessory) {}
}
