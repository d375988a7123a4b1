import MatterModel
import MatterWire

extension ClusterTemplate {
  /// A cluster without groups: the node has no group keys, so no group can be added. Matter 1.4 application clusters
  /// §1.3.
  static let groups = ClusterTemplate(
    id: ClusterName.groups, revision: 4, attributes: [.constant(0, .unsigned(0))],
    commands: [
      CommandBinding(0, response: 0, privilege: .manage, isFabricScoped: true) { _, fields throws(InteractionStatus) in
        try groupName(fields)
        return try answer(fields, .unsupportedAccess)
      },
      CommandBinding(1, response: 1, isFabricScoped: true) { _, fields throws(InteractionStatus) in
        try answer(fields, .notFound) + [Element(.context(2), .text(""))]
      },
      CommandBinding(2, response: 2, isFabricScoped: true) { _, fields throws(InteractionStatus) in
        guard case .container(.array, _) = try fields.value(0) else { throw InteractionStatus(.invalidCommand) }
        return [Element(.context(0), .null), Element(.context(1), .list([]))]
      },
      CommandBinding(3, response: 3, privilege: .manage, isFabricScoped: true) { _, fields throws(InteractionStatus) in
        try answer(fields, .notFound)
      },
      CommandBinding(4, privilege: .manage, isFabricScoped: true) { _, _ throws(InteractionStatus) in },
      CommandBinding(5, privilege: .manage, isFabricScoped: true) { _, fields throws(InteractionStatus) in
        _ = try fields.unsigned(0, 1...UInt64(UInt16.max))
        try groupName(fields)
        throw InteractionStatus(.unsupportedAccess)
      },
    ])

  private static func answer(
    _ fields: CommandFields, _ status: InteractionStatus.Code
  ) throws(InteractionStatus) -> [Element] {
    let group = try fields.unsigned(0, 0...UInt64(UInt16.max))
    let code = group == 0 ? InteractionStatus.Code.constraintError : status
    return [Element(.context(0), .unsigned(UInt64(code.rawValue))), Element(.context(1), .unsigned(group))]
  }

  private static func groupName(_ fields: CommandFields) throws(InteractionStatus) {
    guard case .text(let name) = try fields.value(1) else { throw InteractionStatus(.invalidCommand) }
    guard name.utf8.count <= 16 else { throw InteractionStatus(.constraintError) }
  }
}
