import HAPAccessoryPort
import HAPHome
import HAPHubLink
import HAPModel

// Which accessories can be reached, and which ones on the network are new.
extension HomeHub {
  private typealias Member = ReachabilityTracker.Member

  /// The accessories that were not reported to be reachable, with the reason.
  var unreachable: [HomeObjectID: String] {
    let reported = reachability.reported
    var unreachable: [HomeObjectID: String] = [:]
    for (device, accessories) in index.accessories {
      for entry in accessories.values where !reported.contains(Member(device, aid: entry.aid)) {
        let why = devices[device] == nil ? Self.noPairing : reachability.why(Member(device, aid: entry.aid))
        unreachable[entry.id] = why ?? HubSnapshot.newConnection
      }
    }
    return unreachable
  }

  /// Whether the last answer about an accessory was that its bridge can't reach it.
  func isUnreachableBehindBridge(_ accessory: HomeObjectID) -> Bool {
    guard let place = index.places[accessory], devices[place.device]?.state == .ready else { return false }
    return !reachability.isReachable(Member(place.device, aid: place.aid))
  }

  /// The accessories of the homes have changed.
  func membersChanged() {
    let time = sceneTime.uptime
    for (device, accessories) in index.accessories {
      reachability.setAccessories(Set(accessories.keys), of: device, at: time)
      if !members.contains(device), devices[device]?.state == .ready { reachability.connected(device, at: time) }
    }
    for device in members where index.accessories[device] == nil {
      reachability.setAccessories([], of: device, at: time)
      violations.forgive(device)
    }
    members = Set(index.accessories.keys)
    if search != nil { report(search?.list.setOwn(members) ?? []) }
    armFollowTimer()
  }

  /// Notes from statuses which bridged accessories can be reached.
  func heard(_ statuses: [(id: AttributeID, status: Int)], from device: DeviceID) {
    let time = sceneTime.uptime
    let lost = Set(statuses.lazy.filter { $0.status == Self.unableToCommunicate }.map(\.id.aid))
    var hasChanged = false
    for (id, status) in statuses where id.aid != 1 && (status == Self.unableToCommunicate || !lost.contains(id.aid)) {
      // A bridge can answer for the information of an accessory that it can't reach.
      if status == 0, isInformation(id, of: device) { continue }
      let member = Member(device, aid: id.aid)
      let was = reachability.isReachable(member)
      reachability.answered(member, status: status, at: time)
      let isReachable = reachability.isReachable(member)
      if was == isReachable { continue }
      hasChanged = true
      if isReachable {
        // Its values may have changed meanwhile.
        catchUp(subscribed(of: device, id.aid))
      } else {
        valuesLost(of: device, id.aid)
      }
    }
    if hasChanged { armFollowTimer() }
  }

  private static let unableToCommunicate = Int(HAPStatus.unableToCommunicate.rawValue)

  private func isInformation(_ id: AttributeID, of device: DeviceID) -> Bool {
    index.characteristic(id, of: device).flatMap { index.targets[$0]?.isInformation } ?? false
  }

  /// The characteristics of a device to which the engine subscribed.
  /// - Parameter aid: nil: of any accessory of the device.
  func subscribed(of device: DeviceID, _ aid: UInt64? = nil) -> [HomeObjectID] {
    (index.characteristics[device] ?? []).filter {
      automation.subscribed.contains($0) && (aid == nil || index.targets[$0]?.id.aid == aid)
    }
  }

  // MARK: Time

  func armFollowTimer() {
    guard let timer = followTimer.value else { return }
    if let next = [reachability.nextDeadline, search?.list.nextDeadline].compactMap({ $0 }).min() {
      timer.start(after: max(.zero, next - sceneTime.uptime))
    } else {
      timer.cancel()
    }
  }

  func followTimerFired() {
    guard phase == .running else { return }
    let time = sceneTime.uptime
    for action in reachability.advance(to: time) {
      switch action {
      case .report(let member, let isReachable, let why):
        guard let entry = index.accessories[member.device]?[member.aid] else { continue }
        publish(.reachability(entry.id, isReachable: isReachable, why: why))
      case .ask(let member): ask(member)
      }
    }
    report(search?.list.advance(to: time) ?? [])
    armFollowTimer()
  }

  /// Reads a value of a bridged accessory, to learn whether it can be reached again.
  private func ask(_ member: Member) {
    guard let entry = index.accessories[member.device]?[member.aid],
      let accessory = model.accessory(entry.id)?.accessory
    else { return }
    let readable = accessory.services.lazy.flatMap(\.characteristics).map(\.id).first {
      self.index.targets[$0].map { !$0.isInformation && $0.permissions.contains(.pairedRead) } ?? false
    }
    if let readable { startRead([readable], limit: nil) { _ in } }
  }

  // MARK: New accessories

  /// Begins to report new accessories to an app.
  func beginSearch(of client: HubClient) -> [NewAccessory] {
    client.searches = true
    if search == nil {
      let searching = port.search { [weak self] news in await self?.take(news) }
      search = HubSearch(searching: searching, list: NewAccessoryList(own: members))
    }
    return (search?.list.accessories ?? []).map(NewAccessory.init)
  }

  func endSearch(of client: HubClient) {
    client.searches = false
    if !clients.contains(where: \.searches) { closeSearch() }
  }

  func closeSearch() {
    search?.searching.close()
    search = nil
  }

  private func take(_ news: SearchNews) {
    guard phase == .running, search != nil else { return }
    switch news {
    case .seen(let seen): report(search?.list.seen(seen) ?? [])
    case .gone(let device):
      search?.list.gone(device, at: sceneTime.uptime)
      armFollowTimer()
    case .trouble(let text): note("the network can't be searched: \(text)")
    }
  }

  private func report(_ changes: [NewAccessoryList.Change]) {
    for change in changes {
      let event: HubEvent
      switch change {
      case .found(let seen), .changed(let seen): event = .found(NewAccessory(seen))
      case .gone(let device): event = .gone(device)
      }
      let shared = SharedHubEvent(event)
      for client in clients where client.searches { client.receive(shared) }
    }
  }
}

/// The search for accessories that can be added, for all apps that search.
struct HubSearch {
  let searching: any AccessorySearching
  var list: NewAccessoryList
}

extension NewAccessory {
  fileprivate init(_ seen: SeenDevice) {
    self.init(
      device: seen.device, name: seen.name, model: seen.model, category: seen.category, setupHash: seen.setupHash)
  }
}
