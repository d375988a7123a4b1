import HAPDiscovery
import HAPModel

extension AccessoryRun {
  /// Converts a front end's report to an event.
  func report(_ report: AccessoryReport) {
    switch report {
    case .connected(let id, let peer):
      peers[id] = peer
      tell { _ in .connected(peer: peer) }
    case .disconnected(let id, let peer):
      peers[id] = nil
      tell { _ in .disconnected(peer: peer) }
    case .paired(let controller, let isAdmin): tell { _ in .paired(controller: controller, isAdmin: isAdmin) }
    case .unpaired(let controller): tell { _ in .unpaired(controller: controller) }
    case .verified(_, let controller): tell { _ in .verified(controller: controller) }
    case .wrote(let id, let value, let controller):
      if let slot = database.slot(of: id) {
        tell { .wrote($0.named(slot, value), controller: controller) }
      }
    case .subscribed(let id, let controller):
      if let slot = database.slot(of: id) {
        tell { .subscribed($0.named(slot), controller: controller) }
      }
    case .unsubscribed(let id, let controller):
      if let slot = database.slot(of: id) {
        tell { .unsubscribed($0.named(slot), controller: controller) }
      }
    case .told(let id, let value, let controller):
      if let slot = database.slot(of: id) {
        tell { .told($0.named(slot, value), controller: controller) }
      }
    case .identified: break  // reported when the action is performed
    case .requested(let id, let request):
      let peer = peers[id] ?? "a connection"
      tell { _ in .requested(peer: peer, request: request) }
    case .slow(let ids):
      tell { database in .slow(ids.compactMap { database.slot(of: $0).map { database.named($0) } }) }
    case .unreadable(let id, let reason):
      let peer = peers[id] ?? "a connection"
      tell { _ in .refused(peer: peer, request: "", reason: reason) }
    case .refused(let id, let request, let reason):
      let peer = peers[id] ?? "a connection"
      tell { _ in .refused(peer: peer, request: request, reason: reason) }
    case .refusedPeer(let peer, let request, let reason):
      tell { _ in .refused(peer: peer, request: request, reason: reason) }
    case .matter(let event): tell { _ in .matter(event) }
    }
  }
}

extension SimulatorEvent.Kind {
  /// Converts an advertiser's event.
  init(_ event: AdvertisementEvent) {
    self =
      switch event {
      case .established(let name): .advertised(name: name)
      case .renamed(let old, let new): .renamed(from: old, to: new)
      case .failed(let reason): .trouble("not visible on the network: \(reason)")
      case .addresses(let addresses): .moved(addresses.map(\.description))
      case .seen(let name): .selfCheck(name: name, isVisible: true)
      case .unseen(let name, _): .selfCheck(name: name, isVisible: false)
      }
  }
}
