import HAPModel
import MatterModel
import MatterWire

/// The clusters of televisions. Matter 1.4 application clusters §6.
extension ClusterTemplate {
  /// Playback, by the target state of the television.
  static let mediaPlayback = ClusterTemplate(
    id: ClusterName.mediaPlayback, revision: 2, needs: [.currentMediaState, .targetMediaState],
    attributes: [
      AttributeBinding(
        0, "play (0) is 0, pause (1) 1, loading (4) 3, others are 2 (not playing)", of: [.currentMediaState]
      ) { access throws(InteractionStatus) in
        switch try access.value(.currentMediaState) {
        case 0: .unsigned(0)
        case 1: .unsigned(1)
        // Loading is buffering.
        case 4: .unsigned(3)
        default: .unsigned(2)
        }
      }
    ],
    commands: (0...2).map { state in
      CommandBinding(state, response: playbackResponse) { access, _ throws(InteractionStatus) in
        try access.write(.targetMediaState, .integer(Int128(state)))
        return [Element(.context(0), .unsigned(0))]
      }
    })

  private static let playbackResponse: CommandNumber = 0x0A

  /// Keys with the codes of CEC. HDMI 1.4 CEC table 27.
  static let keypad = ClusterTemplate(
    id: ClusterName.keypad, revision: 1, needs: [.remoteKey], features: { _ in 1 }, attributes: [],
    commands: [
      CommandBinding(0, response: 1) { access, fields throws(InteractionStatus) in
        let code = try fields.unsigned(0, 0...UInt64(UInt8.max))
        let unsupportedKey: UInt64 = 1
        guard let key = remoteKeys[code], access.characteristic(.remoteKey)?.allows(key) == true else {
          return [Element(.context(0), .unsigned(unsupportedKey))]
        }
        try access.write(.remoteKey, key)
        return [Element(.context(0), .unsigned(0))]
      }
    ])

  /// HAP's keys by the codes of CEC.
  private static let remoteKeys: [UInt64: Value] = [
    0x48: 0, 0x49: 1, 0x4B: 2, 0x4C: 3, 0x01: 4, 0x02: 5, 0x03: 6, 0x04: 7, 0x00: 8, 0x0D: 9, 0x44: 11, 0x46: 11,
    0x35: 15,
  ]
}
