import HAPLoop
import HAPStore

/// A watch of one accessory's record on the network. It reports the configuration number, `c#`.
///
/// The watch recognizes the accessory only by its device ID, because another accessory may take its instance name. If
/// the network can't be searched, it reports no number.
package struct RecordWatch: Sendable {
  private let search: AccessorySearch

  /// - Parameters:
  ///   - interfaces: the names of the interfaces; empty: all interfaces of the local network.
  ///   - report: called with the number of each record, including unchanged numbers.
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

  /// Ends the watch. Can be called any number of times.
  package func close() { search.close() }
}

extension FoundAccessory {
  /// The configuration number of the record; nil if the record is of another accessory than the paired one, or has no number.
  package func configurationNumber(of paired: ControllerPairing) -> UInt32? {
    pairing(among: [paired]) == nil ? nil : accessory.configurationNumber
  }
}
