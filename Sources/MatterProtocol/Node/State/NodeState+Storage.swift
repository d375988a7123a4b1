import HAPCrypto
import HAPWire
import MatterModel
import MatterWire

/// Stored bytes that are no state of a node.
package struct NodeStorageError: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The bytes are not of this format, or were changed.
    case damaged
    /// A format of another version of the program.
    case version(UInt64)
    /// The checksum is right, but the values break a rule.
    case invalid
  }

  package var reason: Reason
}

extension NodeStorageError: CustomStringConvertible {
  package var description: String {
    switch reason {
    case .damaged: "the stored state of the Matter node is damaged"
    case .version(let version): "the stored state of the Matter node has the unknown version \(version)"
    case .invalid: "the stored state of the Matter node breaks a rule of Matter"
    }
  }
}

/// The stored form: a structure of the version, the state in TLV, and the SHA-256 of the state. It has private keys.
extension NodeState {
  private static let version: UInt64 = 1
  private static let mostBytes = 1 << 20

  package var stored: SecretBytes {
    let state = Element(.anonymous, value).encoded
    let outer = Element.Value.fields([
      (0, .unsigned(Self.version)), (1, .octets(state)), (2, .octets(SHA256.hash(state))),
    ])
    return SecretBytes(Element(.anonymous, outer).encoded)
  }

  package init(stored bytes: SecretBytes) throws(NodeStorageError) {
    guard bytes.count <= Self.mostBytes, let outer = try? Element(decoding: bytes.withBytes { Array($0) }),
      case .unsigned(let version) = outer[0]
    else { throw NodeStorageError(reason: .damaged) }
    guard version == Self.version else { throw NodeStorageError(reason: .version(version)) }
    guard case .octets(let state) = outer[1], case .octets(let hash) = outer[2], hash == SHA256.hash(state),
      let value = try? Element(decoding: state).value
    else { throw NodeStorageError(reason: .damaged) }
    do { try self.init(stored: value) } catch { throw NodeStorageError(reason: .invalid) }
  }

  private var value: Element.Value {
    .fields([
      (1, .number(rebootCount)), (2, .text(label)), (3, .text(location)), (4, .number(regulatoryConfig)),
      (5, .items(fabrics.map(\.storedValue))), (6, .number(eventNumber)),
    ])
  }

  private init(stored value: Element.Value) throws(InteractionStatus) {
    let reader = try FieldReader(written: value)
    self.init(rebootCount: try reader.number(1), eventNumber: try reader.number(6))
    label = try reader.text(2, byteCount: 0...Self.mostLabelBytes)
    location = try reader.text(3, byteCount: Self.locationBytes...Self.locationBytes)
    regulatoryConfig = try reader.number(4, in: 0...2)
    for fabric in try reader.optionalItems(5) ?? [] { fabrics.append(try Fabric(stored: fabric)) }
    let (indices, labels) = (fabrics.map(\.index), fabrics.map(\.label).filter { !$0.isEmpty })
    guard indices == Set(indices).sorted(), indices.count <= Self.mostFabrics, Set(labels).count == labels.count else {
      throw InteractionStatus(.constraintError)
    }
  }
}

extension Fabric {
  fileprivate var storedValue: Element.Value {
    func secret(_ bytes: SecretBytes) -> Element.Value { .octets(bytes.withBytes { Array($0) }) }
    let epochKeys = epochKeys.map { Element.Value.fields([(1, secret($0.key)), (2, .number($0.start))]) }
    let access = access.map { Element.Value.fields($0.members) }
    let groups = groupKeyMap.map { Element.Value.fields([(1, .number($0.group)), (2, .number($0.keySet))]) }
    let certificates: [(UInt8, Element.Value)] = [
      (2, .octets(root)), (3, .octets(noc)), (4, icac.map { .octets($0) } ?? .null),
    ]
    let configuration: [(UInt8, Element.Value)] = [
      (5, secret(key.scalar)), (6, .items(epochKeys)), (7, .number(vendor)), (8, .text(label)), (9, .items(access)),
      (10, .items(groups)),
    ]
    return .fields([(1, .number(index))] + certificates + configuration)
  }

  fileprivate init(stored value: Element.Value) throws(InteractionStatus) {
    let reader = try FieldReader(written: value)
    let byteCount = FabricDerivation.epochKeyByteCount
    var epochKeys: [EpochKey] = []
    for item in try reader.optionalItems(6) ?? [] {
      let item = try FieldReader(written: item)
      let key = try item.octets(1, count: byteCount...byteCount)
      epochKeys.append(EpochKey(key: SecretBytes(key), start: try item.number(2)))
    }
    var access: [AccessEntry] = []
    for item in try reader.optionalItems(9) ?? [] { access.append(try AccessEntry(written: item)) }
    let groupKeyMap = try reader.optionalItems(10) ?? []
    guard (1...Self.mostEpochKeys).contains(epochKeys.count), access.count <= AccessLimits.entriesPerFabric,
      access.contains(where: \.isAdministrator), groupKeyMap.count <= Self.mostGroupKeyEntries
    else { throw InteractionStatus(.constraintError) }
    guard let key = CurveKey(SecretBytes(try reader.octets(5, count: 32...32))) else {
      throw InteractionStatus(.constraintError)
    }
    let root = try reader.octets(2, count: Self.certificateByteCount)
    let noc = try reader.octets(3, count: Self.certificateByteCount)
    let icac = try reader.optionalOctets(4, count: Self.certificateByteCount)
    do {
      let chain = try CertificateChain.verify(
        noc: noc, icac: icac, root: try CertificateChain.verifyRoot(root), publicKey: key.publicKey)
      self.init(
        index: try reader.number(1, in: Self.indices), chain: chain, root: root, noc: noc, icac: icac, key: key,
        epochKeys: epochKeys, vendor: try reader.number(7), access: access)
    } catch { throw InteractionStatus(.constraintError) }
    label = try reader.text(8, byteCount: 0...Self.mostLabelBytes)
    for item in groupKeyMap { self.groupKeyMap.append(try GroupKeyEntry(written: item)) }
  }
}

extension Fabric.GroupKeyEntry {
  /// Reads a structure of the attribute. Its fabric index is ignored. Matter 1.4 §11.2.5.3.
  init(written value: Element.Value) throws(InteractionStatus) {
    let reader = try FieldReader(written: value)
    (group, keySet) = (try reader.number(1, in: 1...UInt16.max), try reader.number(2, in: 1...UInt16.max))
  }
}
