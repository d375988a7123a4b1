import HAPLoop
import HAPStore

/// Watches the record of one accessory on the network for its configuration number, `c#`.
///
/// The accessory is recognized by its device ID alone, because another accessory may take its instance name.
/// Where nothing can be found, no number is reported.
package struct RecordWatch: Sendable {
  private let search: AccessorySearch

  /// - Parameters:
  ///   - interfaces: names; empty: all of the local network.
  ///   - report: is called with the number of each record, the same one again too.
  package init(
    of pairing: ControllerPairing, on loop: EventLoop, interfaces: [String],
    report: @escaping @Sendable (UInt32) async -> Void
  ) {
    let search = AccessorySearch(on: loop, interfaces: interfaces, limit: nil)
    self.search = search
    loop.startTask {
      for await event in search.events {
        switch event {
        case .appeared(let found), .changed(let found):
          guard let number = found.configurationNumber(of: pairing) else { continue }
          await report(number)
        case .gone, .trouble: break
        }
      }
    }
  }

  /// Any number of times.
  package func close() { search.close() }
}

extension FoundAccessory {
  /// The configuration number of the record; nil if the record is of another accessory than the paired one, or has no number.
  package func configurationNumber(of paired: ControllerPairing) -> UInt32? {
    pairing(among: [paired]) == nil ? nil : accessory.configurationNumber
  }
}
