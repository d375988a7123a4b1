import HAPController
import HAPIP
import HAPModel
import HAPTransport

/// The subscriptions that the hub wants.
extension HAPDeviceConnection {
  func subscribe(exactly ids: Set<AttributeID>) async {
    wanted = ids
    refused.formIntersection(ids)
    subscribeSoon()
    await withCheckedContinuation { continuation in
      // Checked here, because other code of the connection may run before this closure.
      if isSubscribing { subscribers.append(continuation) } else { continuation.resume() }
    }
  }

  /// The accessory has answered, or the connection is lost.
  private func subscriptionEnded() {
    let all = subscribers
    subscribers = []
    for subscriber in all { subscriber.resume() }
  }

  func subscribeSoon() {
    guard !isSubscribing, isReady, missing.isEmpty == false || !surplus.isEmpty else { return }
    isSubscribing = true
    loop.startTask { await self.subscribe() }
  }

  private var surplus: [AttributeID] { applied.subtracting(wanted).sorted() }

  private var missing: [AttributeID] {
    wanted.subtracting(applied).subtracting(refused).sorted()
  }

  /// Subscribes and unsubscribes until the hub's wishes are met.
  private func subscribe() async {
    await retry { () async throws(ClientError) in
      while self.isReady, !self.isOver {
        if self.surplus.isEmpty, self.missing.isEmpty { return }
        do throws(ClientError) { try await self.subscribeOnce() } catch {
          self.subscriptionEnded()
          guard error.isAnswer, self.mirror == nil else { throw error }
          if error.isViolation { self.reportViolation(error) }
          // The reason may be a characteristic that does not exist any more, so the database does not wait.
          try await self.readFirstDatabase()
        }
      }
    }
    isSubscribing = false
    // A connection may have been made after the last failure.
    subscribeSoon()
    if !isSubscribing { subscriptionEnded() }
  }

  private func subscribeOnce() async throws(ClientError) {
    let surplus = surplus
    if !surplus.isEmpty {
      // The session forgets them whatever the answer is.
      applied.subtract(surplus)
      _ = try await session.unsubscribe(from: surplus, timeout: limits.answer)
    }
    let missing = missing
    if !missing.isEmpty { try await add(missing) }
  }

  private func add(_ ids: [AttributeID]) async throws(ClientError) {
    // Some accessories refuse a whole request that has one unknown characteristic.
    let unknown = ids.filter { id in mirror.map { $0.database.slot(of: id) == nil } ?? false }
    let known = ids.filter { !unknown.contains($0) }
    refused.formUnion(unknown)
    var refusals = unknown.map { DeviceValue(id: $0, value: nil, status: Int(HAPStatus.doesNotExist.rawValue)) }
    if !known.isEmpty {
      let entries = try await session.subscribe(to: known, timeout: limits.answer, reportsValues: true)
      refusals += values(of: entries, "PUT /characteristics")
      let names = Set(entries.map(\.id))
      refused.formUnion(names)
      applied.formUnion(known.filter { !names.contains($0) })
    }
    if !refusals.isEmpty { await report(.values(refusals, isCatchUp: false)) }
  }
}
