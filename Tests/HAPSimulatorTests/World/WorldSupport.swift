import HAPLoop

@testable import HAPDevices
@testable import HAPSimulator
@testable import HAPSimulatorCore

extension World {
  /// A host that serves a garage door, and a second host.
  func garage(travelTime: String = "12s") async throws -> (home: Host, phone: Host, door: RunningAccessory) {
    let (home, phone) = (addHost("home"), addHost("phone"))
    return (home, phone, try await home.start(.garage(travelTime: travelTime)))
  }

  /// - Returns: the error that `body` throws, or `nil`.
  func error(of body: () async throws -> Void) async -> SimulatorError.Code? {
    do { try await body() } catch let error as SimulatorError { return error.code } catch {}
    return nil
  }
}

extension RunningAccessory {
  /// - Returns: an id such as "1.9".
  func id(of characteristic: CharacteristicName) async throws(SimulatorError) -> String {
    try await served.loop.result { [served] done in
      done(Result { () throws(SimulationFailure) in "\(try served.subject(characteristic.place, nil).id)" })
    }
  }
}

extension World.Connection {
  /// Asks an accessory to identify itself, which needs no pairing.
  /// - Returns: the first line of the answer.
  func identify() async throws -> String {
    try await write(Array("POST /identify HTTP/1.1\r\nHost: door\r\nContent-Length: 0\r\n\r\n".utf8))
    return String(decoding: try await read(), as: UTF8.self).split(separator: "\r\n").first.map(String.init) ?? ""
  }
}

extension ProfileSource {
  static func garage(travelTime: String = "12s") -> ProfileSource {
    .json(
      """
      { "format": "hasaccessory/1", "name": "Garage", "category": "garage-door-opener", "setupCode": "031-45-154",
        "services": [
          { "type": "GarageDoorOpener", "name": "Door", "behaviour": { "travelTime": "\(travelTime)" } } ] }
      """)
  }
}

/// The error that a run throws.
func worldError(
  timeLimit: Duration = .seconds(86_400), _ body: @escaping @Sendable (World) async throws -> Void
) async -> SimulatorError? {
  do { try await withSimulatedWorld(timeLimit: timeLimit, body) } catch { return error as? SimulatorError }
  return nil
}
