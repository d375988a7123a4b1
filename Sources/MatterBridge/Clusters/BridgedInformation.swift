import HAPModel
import MatterModel
import MatterWire

extension ClusterTemplate {
  /// The bridged accessory itself: the service is its accessory information. Matter 1.4 §9.13.
  static let bridgedInformation = ClusterTemplate(
    id: ClusterName.bridgedInformation, revision: 4,
    attributes: [
      text(1, .manufacturer),
      text(3, .model),
      AttributeBinding(
        5, "stored by the node, at first x", of: [.name], writePrivilege: .manage,
        write: { access, value throws(InteractionStatus) in access.store(5, try StoredRule.text(32).admit(value)) },
        read: { access throws(InteractionStatus) in
          access.stored(5) ?? .text(access.accessory.text(.name, of: access).prefix(bytes: 32))
        }),
      text(0x0A, .firmwareRevision, bytes: 64),
      text(0x0F, .serialNumber),
      AttributeBinding(reachable, "false while the accessory is offline") { access throws(InteractionStatus) in
        .bool(access.accessory.isReachable(access))
      },
      .fixed(0x12) { access throws(InteractionStatus) in .text(access.accessory.uniqueID(of: access)) },
    ],
    // Reachability is no characteristic: `reachabilityChanged` sends the event.
    events: [EventBinding(of: .name, [reachableChanged]) { _, _ in [] }])

  static let reachable: AttributeNumber = 0x11
  static let reachableChanged: EventNumber = 3

  private static func text(_ number: AttributeNumber, _ type: TypeID, bytes: Int = 32) -> AttributeBinding {
    AttributeBinding(number, "x, at most \(bytes) bytes", of: [type]) { access throws(InteractionStatus) in
      .text(access.accessory.text(type, of: access).prefix(bytes: bytes))
    }
  }
}

extension String {
  /// The longest beginning of at most `limit` bytes of UTF-8.
  func prefix(bytes limit: Int) -> String {
    var text = self
    while text.utf8.count > limit { text.removeLast() }
    return text
  }
}
