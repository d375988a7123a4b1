import HAPModel
import MatterModel
import MatterWire

extension ClusterTemplate {
  /// The display and the keys of a thermostat. Matter 1.4 application clusters §4.5.
  static let thermostatUserInterface = ClusterTemplate(
    id: ClusterName.thermostatUserInterface, revision: 2, needs: [.displayUnits],
    attributes: [
      AttributeBinding(
        0, "x", of: [.displayUnits], writing: [.displayUnits],
        write: { access, value throws(InteractionStatus) in
          try access.write(.displayUnits, .integer(Int128(try value.unsigned(in: 0...1))))
        },
        read: { access throws(InteractionStatus) in .unsigned(try access.isTrue(.displayUnits) ? 1 : 0) }),
      AttributeBinding(
        keypadLockout, "x, and 1 to 5 set it to 1; without LockPhysicalControls stored by the node, at first 0",
        alsoOf: [.lockControls], writePrivilege: .manage,
        write: { access, value throws(InteractionStatus) in
          let level = try value.unsigned(in: 0...5)
          guard access.has(.lockControls) else { return access.store(keypadLockout, .unsigned(level)) }
          try access.write(.lockControls, level == 0 ? 0 : 1)
        },
        read: { access throws(InteractionStatus) in
          guard access.has(.lockControls) else { return access.stored(keypadLockout) ?? .unsigned(0) }
          return .unsigned(try access.isTrue(.lockControls) ? 1 : 0)
        }),
    ])

  private static let keypadLockout: AttributeNumber = 1
}
