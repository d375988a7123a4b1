import HAPLoop

/// The reserved port of an accessory that restarts. Without it, the system could assign the port to an outgoing
/// connection of this machine.
final class HeldPort {
  private let port: any BoundPort

  private init?(_ place: ListeningPlace, port: UInt16, of loop: EventLoop) {
    guard let port = try? loop.driver.bindPort(host: place.host, interface: place.interface, port: port) else {
      return nil
    }
    self.port = port
  }

  deinit { port.close() }

  /// Returns the reservations to keep while the accessory begins to listen. On Linux, an accessory can listen while a
  /// socket that does not listen keeps the port, so no other program can take it. On other systems the port must be
  /// released first.
  static func keep(_ held: [HeldPort]) -> [HeldPort] {
    #if os(Linux)
      held
    #else
      []
    #endif
  }

  /// Reserves the port in every place; `nil`: it is in use in one of them.
  static func hold(_ port: UInt16, in places: [ListeningPlace], of loop: EventLoop) -> [HeldPort]? {
    let held = places.compactMap { HeldPort($0, port: port, of: loop) }
    return held.count == places.count ? held : nil
  }

  /// Reserves the port in every place where it is free. If it is in use in a place, the start reports that.
  static func hold(_ terms: ServingTerms?, of loop: EventLoop) -> [HeldPort] {
    guard let terms, terms.port != 0 else { return [] }
    return terms.places.compactMap { HeldPort($0, port: terms.port, of: loop) }
  }
}
