import Foundation
import HAPHubLink
import HAPLoop
import HAPModel

/// An accessory that a browser found: on the network, in no home and without a pairing.
struct FoundAccessory: Sendable {
  private let record: Guarded<NewAccessory>
  /// The identifier, which follows from the device ID: so it is the same each time that a browser finds the device.
  let identifier: UUID
  /// The session of the browser; nil after the end of the browser.
  private(set) weak var session: AppSession?

  init(_ news: NewAccessory, _ session: AppSession?) {
    (record, identifier, self.session) = (Guarded(news), UUID(of: news.device), session)
  }

  /// The present record of the network.
  var news: NewAccessory { record.withLock { $0 } }

  /// Replaces the record, because the accessory sent another one. All copies have it.
  func update(_ news: NewAccessory) { record.withLock { $0 = news } }
}

extension UUID {
  /// The identifier of a device that is in no home: version 8 of RFC 9562, so no random identifier is equal to it.
  init(of device: DeviceID) {
    let id = device.bytes
    self.init(uuid: (id[0], id[1], id[2], id[3], id[4], id[5], 0x80, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))
  }
}
