import HAPModel
import MatterModel
import MatterWire

extension ClusterTemplate {
  /// The filter of an air purifier. Matter 1.4 application clusters §2.8.
  static let filter = ClusterTemplate(
    id: ClusterName.filter, revision: 1, needs: [.filterChange],
    features: { service in service.has(.filterLife) ? condition : 0 },
    attributes: [
      AttributeBinding(0, "x", of: [.filterLife], features: condition) { access throws(InteractionStatus) in
        .unsigned(UInt64(nearest: try access.number(.filterLife) ?? 0, in: 0...100))
      },
      // The condition falls.
      .constant(1, .unsigned(1), features: condition),
      AttributeBinding(2, "2 if x is 1, else 0", of: [.filterChange]) { access throws(InteractionStatus) in
        .unsigned(try access.isTrue(.filterChange) ? 2 : 0)
      },
    ],
    commands: [
      CommandBinding(0, writing: [.filterReset]) { access, _ throws(InteractionStatus) in
        try access.write(.filterReset, 1)
      }
    ])

  private static let condition: UInt32 = 1
}
