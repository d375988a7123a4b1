import HAPModel
import MatterModel
import MatterWire

extension ClusterTemplate {
  /// A button: it has no value, only events. Matter 1.4 application clusters §1.13.
  static let button = ClusterTemplate(
    id: ClusterName.button, revision: 2, needs: [.buttonPress], features: buttonFeatures,
    attributes: [
      .constant(0, .unsigned(2)), .constant(1, .unsigned(0)), .constant(2, .unsigned(2), features: Button.multiple),
    ],
    events: [EventBinding(of: .buttonPress, [1, 2, 3, 4, 5, 6], occur: buttonEvents)],
    eventFeatures: [
      Button.longPress: Button.long, Button.longRelease: Button.long, Button.multiPressOngoing: Button.multiple,
      Button.multiPressComplete: Button.multiple,
    ])

  private enum Button {
    static let momentary: UInt32 = 0x02
    static let release: UInt32 = 0x04
    static let long: UInt32 = 0x08
    static let multiple: UInt32 = 0x10

    static let initialPress: EventNumber = 1
    static let longPress: EventNumber = 2
    static let shortRelease: EventNumber = 3
    static let longRelease: EventNumber = 4
    static let multiPressOngoing: EventNumber = 5
    static let multiPressComplete: EventNumber = 6
  }

  private static let buttonFeatures: @Sendable (ServiceView) -> UInt32? = { service in
    func sends(_ press: Value) -> Bool {
      service.characteristics.contains { $0.type == .buttonPress && $0.allows(press) }
    }
    return Button.momentary | Button.release | (sends(2) ? Button.long : 0) | (sends(1) ? Button.multiple : 0)
  }

  /// The events of a press that HAP reports when it is over.
  private static let buttonEvents: EventBinding.Occurrence = { access, press in
    let position = Element(.context(0), .unsigned(1))
    func count(_ presses: UInt64) -> [Element] { [position, Element(.context(1), .unsigned(presses))] }
    let countsPresses = access.cluster.shape.description.features & Button.multiple != 0
    switch press {
    case 0:
      return [(Button.initialPress, [position]), (Button.shortRelease, [position])]
        + (countsPresses ? [(Button.multiPressComplete, count(1))] : [])
    case 1:
      return [
        (Button.initialPress, [position]), (Button.shortRelease, [position]), (Button.initialPress, [position]),
        (Button.multiPressOngoing, count(2)), (Button.shortRelease, [position]), (Button.multiPressComplete, count(2)),
      ]
    case 2:
      return [(Button.initialPress, [position]), (Button.longPress, [position]), (Button.longRelease, [position])]
    default: return []
    }
  }
}
