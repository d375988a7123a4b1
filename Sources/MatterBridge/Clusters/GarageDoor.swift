import HAPModel
import MatterModel
import MatterWire

extension ClusterTemplate {
  /// A garage door as a covering, because Matter 1.4 has no type for it: it is open (0) or closed (10000).
  static let garageDoor = ClusterTemplate(
    id: ClusterName.windowCovering, revision: 5, needs: [.currentDoorState, .targetDoorState],
    features: { _ in liftWithPosition },
    attributes: [
      .constant(0, .unsigned(0)), .constant(7, .unsigned(0x09)), .constant(0x0D, .unsigned(0)),
      AttributeBinding(0x0A, "5 if it opens (2), 10 if it closes (3), else 0", of: [.currentDoorState]) {
        access throws(InteractionStatus) in
        switch try access.value(.currentDoorState) {
        case 2: .unsigned(0b0101)
        case 3: .unsigned(0b1010)
        default: .unsigned(0)
        }
      },
      AttributeBinding(0x0B, "0 if x is 0, else 10000", of: [.targetDoorState]) { access throws(InteractionStatus) in
        .unsigned(try access.isTrue(.targetDoorState) ? Covering.whole : 0)
      },
      // The position of a door that moves or was stopped is unknown.
      AttributeBinding(0x0E, "open (0) is 0, closed (1) is 10000, others are null", of: [.currentDoorState]) {
        access throws(InteractionStatus) in
        switch try access.value(.currentDoorState) {
        case 0: .unsigned(0)
        case 1: .unsigned(Covering.whole)
        default: .null
        }
      },
      .stored(0x17, default: .unsigned(0), .unsigned(0...0x0F), writePrivilege: .manage),
    ],
    commands: [
      CommandBinding(0, writing: [.targetDoorState]) { access, _ throws(InteractionStatus) in
        try access.write(.targetDoorState, 0)
      },
      CommandBinding(1, writing: [.targetDoorState]) { access, _ throws(InteractionStatus) in
        try access.write(.targetDoorState, 1)
      },
      // HAP has no way to stop a garage door.
      CommandBinding(2, perform: { _, _ throws(InteractionStatus) in throw InteractionStatus(.invalidInState) }),
      CommandBinding(5, writing: [.targetDoorState]) { access, fields throws(InteractionStatus) in
        let closed = try fields.unsigned(0, 0...Covering.whole)
        try access.write(.targetDoorState, closed > Covering.whole / 2 ? 1 : 0)
      },
    ])

  private static let liftWithPosition: UInt32 = 0x05
}
