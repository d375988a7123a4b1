import HAPDeviations
import HAPDiscovery
import HAPLoop

/// Advertises an accessory's record with the changes of its defect.
package final class AlteredAdvertiser: Advertiser {
  private let base: any Advertiser
  /// Used instead of `base` if one of the changes affects responders. It deviates only while a change applies.
  private var deviant: DeviantAdvertiser?
  /// Another host with the same name.
  private var conflicting: ConflictingHost?
  /// The name that was last reported as established.
  private var name: String?
  private var changes: [RecordChange]
  private let loop: EventLoop
  private let places: [ListeningPlace]
  private var events: (AdvertisementEvent) -> Void = { _ in }
  private var publications = 0
  private var updates = 0
  private var record: ServiceRecord?
  private var timer: LoopTimer?
  /// Called with each record that is advertised.
  package var onRecord: ((TextRecord) -> Void)?

  /// The cause of the accessory's last restart; `nil`: none.
  private let cause: () -> RestartChange.Cause?

  package init(
    _ base: any Advertiser, _ changes: [RecordChange], on loop: EventLoop, at places: [ListeningPlace],
    cause: @escaping () -> RestartChange.Cause?
  ) {
    self.base = base
    self.places = places
    deviant =
      Self.needsDeviant(changes) ? DeviantAdvertiser(loop, on: InterfaceChoice(leadingTo: places, of: loop)) : nil
    self.cause = cause
    self.changes = changes
    self.loop = loop
  }

  private static func needsDeviant(_ changes: [RecordChange]) -> Bool {
    changes.contains { $0.responder != nil || $0.also != nil || $0.again != nil }
  }

  /// Replaces the changes.
  package func change(to changes: [RecordChange]) {
    if changes.isEmpty, self.changes.isEmpty { return }
    self.changes = changes
    setConflictingHost()
    guard let record else { return }
    if Self.needsDeviant(changes) != (deviant != nil) {
      // The new responder has the same name. The old one says goodbye.
      if let deviant { deviant.close() } else { base.withdraw() }
      deviant =
        Self.needsDeviant(changes) ? DeviantAdvertiser(loop, on: InterfaceChoice(leadingTo: places, of: loop)) : nil
      return publish(record, events: events)
    }
    let fitting = fitting(record.txt)
    if fitting.contains(where: \.isFrozen) { return forgetLate() }
    // A delayed change stays delayed, and applies to the record of that later time.
    if timer != nil, fitting.contains(where: { $0.delay != nil }) { return }
    forgetLate()
    deviant?.manner = manner(record.txt)
    deviant?.stormPause = fitting.compactMap(\.again).min()
    tell(altered(record.txt))
  }

  package func publish(_ record: ServiceRecord, events: @escaping (AdvertisementEvent) -> Void) {
    self.events = events
    forgetLate()
    publications += 1
    updates = 0
    self.record = record
    name = record.name
    setConflictingHost()
    var altered = record
    for change in fitting(record.txt) {
      if let type = change.type { altered.type = type }
      if let name = change.name { altered.name = name }
      switch change.port {
      case .fixed(let port): altered.port = port
      case .beside(let distance): altered.port = UInt16(clamping: Int(altered.port) + distance)
      case nil: break
      }
      if let text = change.address, let address = try? IPAddress(text) {
        let own = loop.interfaces().filter(\.isUp).flatMap(\.addresses)
        altered.addresses = (altered.addresses.isEmpty ? own : altered.addresses) + [address]
      }
      if change.conflict == .silent { altered.isRenamed = false }
    }
    altered.txt = self.altered(record.txt)
    onRecord?(altered.txt)
    let events = { [weak self] (event: AdvertisementEvent) in
      if case .established(let name) = event { self?.name = name }
      events(event)
    }
    guard let deviant else { return base.publish(altered, events: events) }
    deviant.manner = manner(record.txt)
    deviant.also = fitting(record.txt).lazy.compactMap(\.also).first
    deviant.stormPause = fitting(record.txt).compactMap(\.again).min()
    deviant.publish(altered, events: events)
  }

  package func update(txt: TextRecord) {
    updates += 1
    record?.txt = txt
    let fitting = fitting(txt)
    if fitting.contains(where: \.isFrozen) { return }
    deviant?.manner = manner(txt)
    guard let delay = fitting.compactMap(\.delay).max() else {
      forgetLate()
      return tell(altered(txt))
    }
    forgetLate()
    let timer = LoopTimer(loop)
    self.timer = timer
    timer.onFire = { [unowned self] in
      forgetLate()
      if let record { tell(self.altered(record.txt)) }
    }
    timer.start(after: delay)
  }

  private func tell(_ txt: TextRecord) {
    onRecord?(txt)
    (deviant ?? base).update(txt: txt)
  }

  private func forgetLate() {
    timer?.close()
    timer = nil
  }

  package func withdraw() {
    timer?.close()
    timer = nil
    deviant?.manner = manner(record?.txt ?? TextRecord([]))
    deviant?.withdraw()
    if saysGoodbye { base.withdraw() }
    record = nil
  }

  package func close() {
    timer?.close()
    timer = nil
    conflicting?.close()
    conflicting = nil
    deviant?.manner = manner(record?.txt ?? TextRecord([]))
    deviant?.close()
    if saysGoodbye { base.close() }
  }

  /// The conflicting host is independent of the accessory, and stays after the accessory is withdrawn.
  private func setConflictingHost() {
    guard changes.contains(where: \.hasRival) else {
      conflicting?.close()
      conflicting = nil
      return
    }
    guard conflicting == nil, var record else { return }
    record.name = name ?? record.name
    conflicting = ConflictingHost(record, on: loop, InterfaceChoice(leadingTo: places, of: loop))
  }

  private func manner(_ txt: TextRecord) -> ResponderQuirk {
    let fitting = fitting(txt)
    var manner = fitting.compactMap(\.responder).reduce(ResponderQuirk()) { $0.joined(with: $1) }
    if fitting.contains(where: { !$0.saysGoodbye }) { manner.saysGoodbye = false }
    return manner
  }

  private var saysGoodbye: Bool { !fitting(record?.txt ?? TextRecord([])).contains { !$0.saysGoodbye } }

  private func fitting(_ txt: TextRecord) -> [RecordChange] {
    let isPaired = txt["sf"].flatMap { UInt8($0) }.map { $0 & 1 == 0 } ?? false
    return changes.filter {
      $0.fits(isPaired: isPaired, restarts: max(0, publications - 1), updates: updates, cause: cause())
    }
  }

  private func altered(_ txt: TextRecord) -> TextRecord {
    var entries = txt.entries.map { (key: $0.key, value: $0.value) }
    for change in fitting(txt) {
      if let whole = change.wholeTXT { return TextRecord(texts: whole) }
      for (key, value) in change.txt {
        if let index = entries.firstIndex(where: { $0.key == key }) {
          if let value { entries[index].value = value } else { entries.remove(at: index) }
        } else if let value {
          entries.append((key, value))
        }
      }
      for index in entries.indices where change.lowered.contains(entries[index].key) {
        entries[index].value = entries[index].value.lowercased()
      }
    }
    return TextRecord(texts: entries.map { "\($0.key)=\($0.value)" })
  }
}

extension InterfaceChoice {
  /// Chooses the interfaces that lead to the places where an accessory listens.
  fileprivate init(leadingTo places: [ListeningPlace], of loop: EventLoop) {
    let all = loop.interfaces()
    let names = places.flatMap { place in
      if let name = place.interface { return [name] }
      return all.filter { $0.addresses.contains(place.host) || $0.isLoopback && place.host.isLoopback }.map(\.name)
    }
    self.init(places.contains { $0.host.isUnspecified && $0.interface == nil } ? [] : names)
  }
}
