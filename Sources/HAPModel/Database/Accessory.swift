/// One accessory: the only accessory of a server, a bridge, or an accessory behind a bridge. HAP R2 §6.6.1 "Accessory
/// Objects".
public struct Accessory: Hashable, Sendable {
  /// Accessory instance ID, ≥ 1, unique within the server; 1 is the bridge or the only accessory.
  public var aid: UInt64
  /// The services, in the order of the answer to `/accessories`.
  public var services: [Service]

  /// Creates an accessory.
  public init(aid: UInt64, services: [Service]) {
    self.aid = aid
    self.services = services
  }
}
