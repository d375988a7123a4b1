import HAPLoop
import MatterProtocol

extension PeerAddress {
  package init(_ address: SocketAddress) {
    let bytes = address.host.isV4 ? Self.mapping + address.host.bytes : address.host.bytes
    func part(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: part(0..<8), low: part(8..<16), zone: address.host.scope, port: address.port)
  }

  private static let mapping = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  /// The address of a socket.
  package var socketAddress: SocketAddress? {
    let bytes = [high, low].flatMap { part in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: part >> UInt64($0)) }
    }
    return IPAddress(bytes: bytes, scope: zone).map { SocketAddress(host: $0, port: port) }
  }
}
