import MatterModel
import MatterWire

extension ClusterTemplate {
  /// Matter 1.4 §9.5.
  static let descriptor = ClusterTemplate(
    id: ClusterName.descriptor, revision: 2, features: { $0.has(.labelIndex) ? tagList : 0 },
    attributes: [
      .fixed(0) { access throws(InteractionStatus) in
        .list(
          access.endpoint.plan.deviceTypes.map { type in
            Element(
              .container(
                .structure,
                [
                  Element(.context(0), .unsigned(UInt64(type.number))),
                  Element(.context(1), .unsigned(UInt64(type.revision))),
                ]))
          })
      },
      .fixed(1) { access throws(InteractionStatus) in
        .list(access.endpoint.clusters.map { Element(.unsigned(UInt64($0.id))) })
      },
      .constant(2, .list([])),
      .fixed(3) { access throws(InteractionStatus) in .numbers(access.endpoint.plan.parts) },
      AttributeBinding(
        4, "a tag of the namespace Common Number (7) with the number x", of: [.labelIndex], features: tagList
      ) { access throws(InteractionStatus) in
        .list([numberTag(UInt64(nearest: access.characteristic(.labelIndex)?.value.doubleValue ?? 0, in: 0...255))])
      },
    ])

  /// The feature of endpoints that differ from others of the same type by their number.
  private static let tagList: UInt32 = 1

  /// A semantic tag of the namespace Common Number. Matter 1.4 standard namespaces §7.
  private static func numberTag(_ number: UInt64) -> Element {
    let commonNumber: UInt64 = 7
    return Element(
      .container(
        .structure,
        [
          Element(.context(0), .null), Element(.context(1), .unsigned(commonNumber)),
          Element(.context(2), .unsigned(number)),
        ]))
  }
}

extension Element {
  init(_ value: Value) { self.init(.anonymous, value) }
}

extension Element.Value {
  static func numbers(_ endpoints: [EndpointNumber]) -> Element.Value {
    .list(endpoints.map { Element(.unsigned(UInt64($0))) })
  }
}
