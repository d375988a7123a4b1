import HAPAccessoryPort
import HAPHome
import HAPHubLink
import HAPModel

/// The search for accessories that can be added, for all apps that search.
struct HubSearch {
  let searching: any AccessorySearching
  /// The accessories without a pairing that are in no home.
  var found: [DeviceID: NewAccessory] = [:]
}

extension HomeHub {
  /// Begins to report new accessories to an app. A second request begins with an empty list.
  func beginSearch(of client: HubClient) -> [NewAccessory] {
    client.searches = true
    client.known = []
    guard let search else {
      search = HubSearch(searching: port.search { [weak self] news in await self?.take(news) })
      return []
    }
    client.known = Set(search.found.keys)
    return search.found.sorted { $0.key < $1.key }.map(\.value)
  }

  func endSearch(of client: HubClient) {
    client.searches = false
    if !apps.values.contains(where: \.searches) { closeSearch() }
  }

  func closeSearch() {
    search?.searching.close()
    search = nil
  }

  private func take(_ news: SearchNews) {
    guard search != nil else { return }
    switch news {
    case .seen(let seen):
      guard seen.isPaired == false, index.accessories[seen.device] == nil else { return lost(seen.device) }
      let new = NewAccessory(
        device: seen.device, name: seen.name, model: seen.model, category: seen.category, setupHash: seen.setupHash)
      guard search?.found.updateValue(new, forKey: seen.device) != new else { return }
      for client in apps.values where client.searches {
        client.known.insert(seen.device)
        client.receive(.found(new))
      }
    case .gone(let device): lost(device)
    case .trouble(let text): note(HomeError(.networkUnavailable, nil, "the network can't be searched: \(text)"))
    }
  }

  private func lost(_ device: DeviceID) {
    search?.found[device] = nil
    for client in apps.values where client.searches && client.known.remove(device) != nil {
      client.receive(.gone(device))
    }
  }
}
