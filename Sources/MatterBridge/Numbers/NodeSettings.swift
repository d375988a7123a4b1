import HAPWire
import MatterModel
import MatterWire

/// The values of attributes that only the node knows, as bytes for the store: an array of structures {0: endpoint, 1:
/// cluster, 2: attribute, 3: value}.
package struct NodeSettings: Hashable, Sendable {
  package var values: [AttributePath: Element.Value]

  package init(_ values: [AttributePath: Element.Value] = [:]) { self.values = values }

  /// Equal values have equal bytes.
  package var bytes: [UInt8] {
    let entries = values.map { path, value in
      Element(
        .container(
          .structure,
          [
            Element(.context(0), .unsigned(UInt64(path.endpoint))),
            Element(.context(1), .unsigned(UInt64(path.cluster))),
            Element(.context(2), .unsigned(UInt64(path.attribute))), Element(.context(3), value),
          ])
      ).encoded
    }
    var buffer = ByteBuffer()
    buffer.openContainer(.anonymous, .array)
    for entry in entries.sorted(by: { $0.lexicographicallyPrecedes($1) }) { buffer.append(entry) }
    buffer.closeContainer()
    return buffer.bytes
  }

  /// - Returns: nil for bytes that are no settings.
  package init?(bytes: [UInt8]) {
    guard case .container(.array, let entries)? = (try? Element(decoding: bytes))?.value else { return nil }
    values = [:]
    for entry in entries {
      guard let endpoint = try? entry[0]?.unsigned(in: 1...UInt64(EndpointNumbers.endpointLimit)),
        let cluster = try? entry[1]?.unsigned(in: 0...UInt64(UInt32.max)),
        let attribute = try? entry[2]?.unsigned(in: 0...UInt64(UInt32.max)), let value = entry[3]
      else { return nil }
      values[AttributePath(EndpointNumber(endpoint), ClusterID(cluster), AttributeNumber(attribute))] = value
    }
  }
}
