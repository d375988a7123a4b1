import HAPModel
import MatterModel
import MatterWire

extension ClusterTemplate {
  /// Identify of the accessory: the service is the accessory information. Matter 1.4 application clusters §1.2.
  static let identify = ClusterTemplate(
    id: ClusterName.identify, revision: 5,
    attributes: [
      AttributeBinding(
        identifyTime, "counts down in the node, in seconds; a write sets x to true", writing: [.identify],
        write: { access, value throws(InteractionStatus) in
          try identify(access, seconds: try value.unsigned(in: 0...UInt64(UInt16.max)))
        },
        read: { access throws(InteractionStatus) in .unsigned(access.remaining(identifyTime, tick: .seconds(1))) }),
      // A visible indicator.
      .constant(1, .unsigned(2)),
    ],
    commands: [
      CommandBinding(0, writing: [.identify], privilege: .manage) { access, fields throws(InteractionStatus) in
        try identify(access, seconds: try fields.unsigned(0, 0...UInt64(UInt16.max)))
      },
      // TriggerEffect: HAP has one effect only.
      CommandBinding(0x40, writing: [.identify], privilege: .manage) { access, fields throws(InteractionStatus) in
        let effect = try fields.choice(0, [0, 1, 2, 11, finishEffect, stopEffect])
        _ = try fields.choice(1, [0])
        if effect == finishEffect || effect == stopEffect {
          access.hold(identifyTime, 0)
        } else {
          try access.write(.identify, true)
        }
      },
    ],
    expired: { access, attribute in access.hold(attribute, 0) })

  private static let identifyTime: AttributeNumber = 0
  private static let finishEffect: UInt64 = 0xFE
  private static let stopEffect: UInt64 = 0xFF

  private static func identify(_ access: ClusterAccess, seconds: UInt64) throws(InteractionStatus) {
    guard seconds > 0 else { return access.hold(identifyTime, 0) }
    try access.write(.identify, true)
    access.countDown(identifyTime, seconds, tick: .seconds(1))
  }
}
