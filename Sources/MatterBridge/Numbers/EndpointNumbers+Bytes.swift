import HAPModel
import HAPWire
import MatterModel
import MatterWire

/// Bytes that are no numbers of endpoints: not written by `EndpointNumbers.bytes`, or damaged.
package struct EndpointNumbersError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}

/// The form for the store: a structure {0: version, 1: next endpoint, 2: [{0: kind, 1: aid, 2: iid, 3: number}], 3: next
/// cluster, 4: [{0: UUID, 1: number, 2: next attribute, 3: [{0: UUID, 1: number}]}]}.
extension EndpointNumbers {
  private static let version: UInt64 = 1

  /// Equal values have equal bytes.
  package var bytes: [UInt8] {
    let endpoints = self.endpoints.sorted { $0.value < $1.value }.map { key, number in
      Self.structure([.unsigned(key.kind), .unsigned(key.aid), .unsigned(key.iid), .unsigned(UInt64(number))])
    }
    let clusters = self.clusters.sorted { $0.value.number < $1.value.number }.map { type, cluster in
      let attributes = cluster.attributes.sorted { $0.value < $1.value }.map { type, number in
        Self.structure([.text(type.uuid), .unsigned(UInt64(number))])
      }
      return Self.structure([
        .text(type.uuid), .unsigned(UInt64(cluster.number)), .unsigned(UInt64(cluster.nextAttribute)),
        .list(attributes),
      ])
    }
    return Self.structure([
      .unsigned(Self.version), .unsigned(UInt64(nextEndpoint)), .list(endpoints), .unsigned(UInt64(nextCluster)),
      .list(clusters),
    ]).encoded
  }

  private static func structure(_ members: [Element.Value]) -> Element {
    Element(.container(.structure, members.enumerated().map { Element(.context(UInt8($0)), $1) }))
  }

  package init(bytes: [UInt8]) throws(EndpointNumbersError) {
    let top: Element
    do throws(ElementError) {
      top = try Element(decoding: bytes)
    } catch {
      throw EndpointNumbersError(description: "the endpoint numbers can't be read: \(error)")
    }
    guard try top.number(0) == Self.version else {
      throw EndpointNumbersError(description: "the endpoint numbers have an unknown version")
    }
    nextEndpoint = EndpointNumber(try top.number(1, 1...UInt64(Self.endpointLimit) + 1))
    var taken: Set<EndpointNumber> = []
    for entry in try top.members(2) {
      let number = EndpointNumber(try entry.number(3, 1...UInt64(Self.endpointLimit)))
      let key = try Key(entry)
      guard number < nextEndpoint else { throw .malformed }
      guard endpoints[key] == nil, taken.insert(number).inserted else { throw .duplicate }
      endpoints[key] = number
    }
    nextCluster = UInt32(try top.number(3, 1...UInt64(Self.clusterLimit) + 1))
    for entry in try top.members(4) {
      let type = try entry.type(0)
      let cluster = try VendorCluster(entry, below: nextCluster)
      guard clusters[type] == nil, !clusters.values.contains(where: { $0.number == cluster.number }) else {
        throw .duplicate
      }
      clusters[type] = cluster
    }
  }
}

extension EndpointNumbers.Key {
  fileprivate var kind: UInt64 {
    switch self {
    case .aggregator: 0
    case .accessory: 1
    case .service: 2
    }
  }

  fileprivate var aid: UInt64 {
    switch self {
    case .aggregator: 0
    case .accessory(let aid): aid
    case .service(let id): id.aid
    }
  }

  fileprivate var iid: UInt64 { if case .service(let id) = self { id.iid } else { 0 } }

  fileprivate init(_ entry: Element) throws(EndpointNumbersError) {
    let aid = try entry.number(1)
    switch try entry.number(0) {
    case 0: self = .aggregator
    case 1: self = .accessory(aid: aid)
    case 2: self = .service(AttributeID(aid: aid, iid: try entry.number(2)))
    default: throw .malformed
    }
  }
}

extension EndpointNumbers.VendorCluster {
  fileprivate init(_ entry: Element, below limit: UInt32) throws(EndpointNumbersError) {
    number = UInt32(try entry.number(1, 1...UInt64(EndpointNumbers.clusterLimit)))
    guard number < limit else { throw .malformed }
    nextAttribute = UInt32(try entry.number(2, 0...UInt64(EndpointNumbers.descriptionAttribute)))
    var numbers: Set<UInt32> = []
    for member in try entry.members(3) {
      let attribute = try UInt32(member.number(1, 0...UInt64(EndpointNumbers.descriptionAttribute) - 1))
      let type = try member.type(0)
      guard attribute < nextAttribute else { throw .malformed }
      guard attributes[type] == nil, numbers.insert(attribute).inserted else { throw .duplicate }
      attributes[type] = attribute
    }
  }
}

extension EndpointNumbersError {
  fileprivate static let malformed = EndpointNumbersError(description: "the endpoint numbers are malformed")
  fileprivate static let duplicate = EndpointNumbersError(description: "the endpoint numbers have one number twice")
}

extension Element {
  fileprivate func number(
    _ tag: UInt8, _ range: ClosedRange<UInt64> = 0...UInt64.max
  ) throws(EndpointNumbersError) -> UInt64 {
    guard case .unsigned(let number)? = self[tag], range.contains(number) else { throw .malformed }
    return number
  }

  fileprivate func members(_ tag: UInt8) throws(EndpointNumbersError) -> [Element] {
    guard case .container(.array, let members)? = self[tag] else { throw .malformed }
    return members
  }

  fileprivate func type(_ tag: UInt8) throws(EndpointNumbersError) -> TypeID {
    guard case .text(let text)? = self[tag], let type = TypeID(text) else { throw .malformed }
    return type
  }
}
