import MatterModel
import MatterWire

/// The cluster AccessControl. Matter 1.4 §9.10.
extension MatterNode {
  func accessControlValue(
    _ attribute: AttributeNumber, for subject: Subject, isFabricFiltered: Bool
  ) -> Element.Value? {
    switch attribute {
    case 0:
      .items(
        fabrics(for: subject, isFabricFiltered: isFabricFiltered).flatMap { fabric in
          fabric.access.map { entry in
            let members = fabric.index == subject.fabric ? entry.members : []
            return .fields(members + [(FabricIndex.tag, .number(fabric.index))])
          }
        })
    case 2: .unsigned(UInt64(AccessLimits.subjectsPerEntry))
    case 3: .unsigned(UInt64(AccessLimits.targetsPerEntry))
    case 4: .unsigned(UInt64(AccessLimits.entriesPerFabric))
    default: nil
    }
  }

  /// Replaces the list of the subject's fabric, or appends to it. A list that would be invalid changes nothing.
  mutating func writeAccess(_ change: AttributeChange, for subject: Subject) throws(InteractionStatus) {
    guard let fabric = state[subject.fabric] else { throw InteractionStatus(.unsupportedAccess) }
    var entries: [AccessEntry] = []
    switch change {
    case .replace(.container(.array, let items)):
      for item in items { entries.append(try AccessEntry(written: item.value)) }
    case .replace: throw InteractionStatus(.invalidDataType)
    case .append(let item): entries = fabric.access + [try AccessEntry(written: item)]
    }
    guard entries.count <= AccessLimits.entriesPerFabric else { throw InteractionStatus(.resourceExhausted) }
    // A fabric without an administrator could not be managed.
    guard entries.contains(where: \.isAdministrator) else { throw InteractionStatus(.constraintError) }
    noteAccessChanges(of: fabric.index, from: fabric.access, to: entries, by: subject)
    self.change(by: subject) { $0.change(fabric.index) { $0.access = entries } }
  }

  /// Emits an event for each entry that differs.
  mutating func noteAccessChanges(
    of fabric: FabricIndex, from old: [AccessEntry], to new: [AccessEntry], by subject: Subject
  ) {
    for place in 0..<max(old.count, new.count) {
      let (before, after) = (place < old.count ? old[place] : nil, place < new.count ? new[place] : nil)
      guard before != after, let latest = after ?? before else { continue }
      let kind: UInt8 = before == nil ? 1 : after == nil ? 2 : 0
      var (node, passcode) = (Element.Value.null, Element.Value.null)
      switch subject {
      case .node(let number, _, _): node = .number(number)
      case .passcode: passcode = .unsigned(0)
      }
      let index = (FabricIndex.tag, Element.Value.number(fabric))
      let value = Element.Value.fields(latest.members + [index])
      emit(
        NodeEvent(
          .accessControl, 0, .info, [(1, node), (2, passcode), (3, .number(kind)), (4, value), index], fabric: fabric))
    }
  }
}

extension FabricIndex {
  /// The tag of the fabric index in structures that belong to a fabric. Matter 1.4 §7.5.3.
  static let tag: UInt8 = 0xFE
}
