import HAPCrypto
import MatterModel
import MatterWire

/// The cluster GroupKeyManagement. Group key set 0 has the identity protection keys of CASE; there are no others.
/// Matter 1.4 §11.2.
extension MatterNode {
  func groupKeyManagementValue(
    _ attribute: AttributeNumber, for subject: Subject, isFabricFiltered: Bool
  ) -> Element.Value? {
    switch attribute {
    case 0:
      .items(
        fabrics(for: subject, isFabricFiltered: isFabricFiltered).flatMap { fabric in
          fabric.groupKeyMap.map {
            .fields([(1, .number($0.group)), (2, .number($0.keySet)), (FabricIndex.tag, .number(fabric.index))])
          }
        })
    case 1: .items([])
    case 2: .unsigned(UInt64(Fabric.mostGroupKeyEntries))
    case 3: .unsigned(1)
    default: nil
    }
  }

  mutating func writeGroupKeyMap(_ change: AttributeChange, for subject: Subject) throws(InteractionStatus) {
    guard let fabric = state[subject.fabric] else { throw InteractionStatus(.unsupportedAccess) }
    var entries: [Fabric.GroupKeyEntry] = []
    switch change {
    case .replace(.container(.array, let items)):
      for item in items { entries.append(try Fabric.GroupKeyEntry(written: item.value)) }
    case .replace: throw InteractionStatus(.invalidDataType)
    case .append(let item): entries = fabric.groupKeyMap + [try Fabric.GroupKeyEntry(written: item)]
    }
    guard entries.count <= Fabric.mostGroupKeyEntries else { throw InteractionStatus(.resourceExhausted) }
    guard Set(entries).count == entries.count else { throw InteractionStatus(.constraintError) }
    self.change(by: subject) { $0.change(fabric.index) { $0.groupKeyMap = entries } }
  }

  mutating func invokeGroupKeyManagement(
    _ command: CommandNumber, _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommandOutcome {
    guard let fabric = state[subject.fabric] else { throw InteractionStatus(.unsupportedAccess) }
    switch command {
    case 0:
      try writeKeySet(try fields.structure(0), of: fabric.index, for: subject)
      return .status(.success)
    case 1:
      let set: UInt16 = try fields.number(0)
      guard set == 0 else { throw InteractionStatus(.notFound) }
      return .response(2, [Element(.context(0), Self.readValue(of: fabric.epochKeys))])
    case 3:
      let set: UInt16 = try fields.number(0)
      throw InteractionStatus(set == 0 ? .invalidCommand : .notFound)
    case 4: return .response(5, [Element(.context(0), .items([.unsigned(0)]))])
    default: throw InteractionStatus(.unsupportedCommand)
    }
  }

  /// The keys themselves can't be read.
  private static func readValue(of keys: [Fabric.EpochKey]) -> Element.Value {
    let starts = (0..<Fabric.mostEpochKeys).flatMap { place in
      let start: Element.Value = place < keys.count ? .number(keys[place].start) : .null
      return [(UInt8(2 + 2 * place), Element.Value.null), (UInt8(3 + 2 * place), start)]
    }
    return .fields([(0, .unsigned(0)), (1, .unsigned(0))] + starts)
  }

  private mutating func writeKeySet(
    _ fields: FieldReader, of fabric: FabricIndex, for subject: Subject
  ) throws(InteractionStatus) {
    let set: UInt16 = try fields.number(0)
    // Only the policy "trust first" exists without the feature CacheAndSync.
    _ = try fields.number(1, in: 0...0) as UInt8
    var keys: [Fabric.EpochKey] = []
    for place in 0..<Fabric.mostEpochKeys {
      let count = FabricDerivation.epochKeyByteCount
      let key = try fields.optionalOctets(UInt8(2 + 2 * place), count: count...count)
      let start: UInt64? = try fields.optionalNumber(UInt8(3 + 2 * place))
      guard (key == nil) == (start == nil) else { throw InteractionStatus(.invalidCommand) }
      guard let key, let start else { continue }
      // The keys are without gaps and in the order of their times.
      guard keys.count == place, keys.last.map({ $0.start < start }) ?? true else {
        throw InteractionStatus(.invalidCommand)
      }
      keys.append(Fabric.EpochKey(key: SecretBytes(key), start: start))
    }
    guard !keys.isEmpty else { throw InteractionStatus(.invalidCommand) }
    guard set == 0 else { throw InteractionStatus(.resourceExhausted) }
    change(by: subject) { $0.change(fabric) { $0.epochKeys = keys } }
  }
}
