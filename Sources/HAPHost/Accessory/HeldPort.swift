import HAPLoop

/// The port of an accessory that is starting anew, kept from those who get one by chance: the system gives a free one to whoever connects
/// from this machine.
final class HeldPort {
  private let port: any BoundPort

  private init?(_ place: ListeningPlace, port: UInt16, of loop: EventLoop) {
    guard let port = try? loop.driver.bindPort(host: place.host, interface: place.interface, port: port) else {
      return nil
    }
    self.port = port
  }

  deinit { port.close() }

  /// What is held on to while the accessory begins to listen. Linux lets it listen beside a socket that only has the port, so that there is no moment at
  /// which anybody else can get it; elsewhere it has to be let go first.
  static func keep(_ held: [HeldPort]) -> [HeldPort] {
    #if os(Linux)
      held
    #else
      []
    #endif
  }

  /// One of every place; nil: it isn't free in one of them.
  static func hold(_ port: UInt16, in places: [ListeningPlace], of loop: EventLoop) -> [HeldPort]? {
    let held = places.compactMap { HeldPort($0, port: port, of: loop) }
    return held.count == places.count ? held : nil
  }

  /// Of every place where the accessory listens and the port is free still: for what isn't, the start will tell.
  static func hold(_ terms: ServingTerms?, of loop: EventLoop) -> [HeldPort] {
    guard let terms, terms.port != 0 else { return [] }
    return terms.places.compactMap { HeldPort($0, port: terms.port, of: loop) }
  }
}
