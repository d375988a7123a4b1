import HAPLoop
import MDNS

/// One record that the daemon advertises. It is registered on each interface, renamed if its name is taken, and registered again when the
/// daemon returns. Belongs to the desk's loop.
final class DaemonRegistration {
  private static let mostRenames = 64

  private let desk: DaemonDesk
  private var record: ServiceRecord?
  private var tellEvent: ((AdvertisementEvent) -> Void)?
  /// The current name, after renaming.
  private var name = ""
  private var renames = 0
  /// By interface.
  private var references: [UInt32: ServiceReference] = [:]
  private var established: Set<UInt32> = []
  /// The name in the last `established`, while it holds.
  private var establishedName: String?
  private var lastFailure: String?
  private var backOff = BackOff()
  private let retry: LoopTimer

  init(_ desk: DaemonDesk) {
    self.desk = desk
    retry = LoopTimer(desk.loop)
    retry.onFire = { [unowned self] in register() }
  }

  /// - Parameter record: must be valid.
  func publish(_ record: ServiceRecord, tell: @escaping (AdvertisementEvent) -> Void) {
    withdraw()
    self.record = record
    tellEvent = tell
    name = record.name
    renames = 0
    backOff.reset()
    register()
  }

  func update(_ txt: TextRecord) {
    guard record != nil else { return }
    record?.txt = txt
    do throws(DaemonError) {
      for reference in references.values { try reference.update(txt) }
    } catch {
      failed(error.description)
    }
  }

  func withdraw() {
    record = nil
    tellEvent = nil
    lastFailure = nil
    retry.cancel()
    unregister()
  }

  func close() {
    withdraw()
    retry.close()
  }

  /// Handles changed interfaces, or changed interface indexes.
  func interfacesChanged() {
    guard record != nil, Set(desk.interfaces ?? []) != Set(references.keys) else { return }
    backOff.reset()
    unregister()
    register()
  }

  private func unregister() {
    desk.selfCheck.cancel(self)
    establishedName = nil
    established = []
    let old = references
    references = [:]
    for reference in old.values { reference.close() }
  }

  private func register() {
    guard let record else { return }
    guard let interfaces = desk.interfaces else { return tell(.failed(desk.choice.absence)) }
    while true {
      do throws(DaemonError) {
        for interface in interfaces where references[interface] == nil {
          references[interface] = try ServiceReference.register(record, name: name, interface: interface, on: desk.loop)
          {
            [weak self] reply in self?.received(reply, on: interface)
          }
        }
        return
      } catch {
        guard error.isNameConflict else { return failed(error.description) }
        guard rename(to: AlternativeName.ofService(name), keeping: nil) else { return }
      }
    }
  }

  private func received(_ reply: ServiceReference.Reply, on interface: UInt32) {
    switch reply {
    case .registered(let chosen):
      established.insert(interface)
      if chosen != name {
        // The name was taken on the network, and the daemon chose another one. The other interfaces need the same name.
        guard rename(to: chosen, keeping: interface) else { return }
        register()
      }
      tellIfEstablished()
    case .failed(let error):
      if error.isNameConflict {
        if rename(to: AlternativeName.ofService(name), keeping: nil) { register() }
      } else {
        failed(error.description)
      }
    case .found, .gone, .record: break
    }
  }

  private func tellIfEstablished() {
    guard !references.isEmpty, established == Set(references.keys), establishedName != name else { return }
    establishedName = name
    backOff.reset()
    tell(.established(name))
    desk.selfCheck.look(for: name, onBehalfOf: self) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .seen: tell(.seen(name))
      case .unseen(let time): tell(.unseen(name, after: time))
      }
    }
  }

  /// - Parameter kept: an interface that already has the new name.
  /// - Returns: false after too many renames.
  private func rename(to new: String, keeping kept: UInt32?) -> Bool {
    let old = name
    let keptReference = kept.flatMap { references.removeValue(forKey: $0) }
    unregister()
    if let kept, let keptReference {
      references[kept] = keptReference
      established = [kept]
    }
    guard renames < Self.mostRenames else {
      unregister()
      tell(.failed("the name \(record?.name ?? name) is taken, and so are \(renames) variants of it"))
      return false
    }
    renames += 1
    name = new
    tell(.renamed(from: old, to: new))
    return true
  }

  private func failed(_ reason: String) {
    unregister()
    let delay = backOff.delay()
    retry.start(after: delay)
    tell(.failed(reason))
  }

  private func tell(_ event: AdvertisementEvent) {
    switch event {
    case .failed(let reason):
      if reason == lastFailure { return }
      lastFailure = reason
    case .established: lastFailure = nil
    default: break
    }
    tellEvent?(event)
  }
}
