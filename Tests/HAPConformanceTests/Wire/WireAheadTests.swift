import HAPCrypto
import HAPLoop
import HAPPairing
import HAPSuite
import HAPWire
import Testing

@testable import HAPConformance
@testable import HAPExpectation

@Suite("Messages that are sealed before M4 has arrived") struct WireAheadTests {
  private static let m4 =
    "HTTP/1.1 200 OK\r\nContent-Type: application/pairing+tlv8\r\nContent-Length: 3\r\n\r\n\u{6}\u{1}\u{4}"
  private static let answer =
    "HTTP/1.1 200 OK\r\nContent-Type: application/hap+json\r\nContent-Length: 2\r\n\r\n{}"
  private static let patience = Duration.seconds(20)

  private static func keys(_ seed: UInt64) -> SessionKeys {
    SessionKeys(pairVerify: RandomSource.seeded(seed).secret(32))
  }

  /// An answer, sealed by the accessory.
  private static func sealed(_ keys: SessionKeys) -> [UInt8] { AccessoryEnd(keys).seal(Array(answer.utf8)) }

  private func message(_ arrival: Arrival) throws -> WireMessage {
    guard case .message(let message) = arrival else { throw StepProblem("\(arrival)") }
    return message
  }

  @Test(
    "A sealed answer is kept until the session begins, in the segment of M4 or in the next one",
    arguments: [true, false])
  func kept(isOneSegment: Bool) async throws {
    let keys = Self.keys(1)
    let isSealed = try await withPeer { actor, connection, peer in
      _ = connection.sealedAhead(Array("GET / HTTP/1.1\r\n\r\n".utf8), keys)
      let m4 = Array(Self.m4.utf8)
      if isOneSegment {
        peer.say(m4 + Self.sealed(keys))
      } else {
        peer.say(m4)
        try await wait(on: actor.loop) { !connection.answers.isEmpty }
        peer.say(Self.sealed(keys))
      }
      try await wait(on: actor.loop) { connection.holdsSealedBytes }
      _ = try self.message(await connection.next(within: Self.patience))
      connection.secure(keys)
      return try self.message(await connection.next(within: Self.patience)).isSealed
    }
    #expect(isSealed)
  }

  @Test("A sealed answer that the end of the connection follows is opened, and then the end is reported")
  func keptUntilEnd() async throws {
    let keys = Self.keys(1)
    let (isSealed, end) = try await withPeer { actor, connection, peer in
      _ = connection.sealedAhead(Array("GET / HTTP/1.1\r\n\r\n".utf8), keys)
      peer.say(Array(Self.m4.utf8) + Self.sealed(keys))
      peer.streams[0].closeAfterWriting()
      _ = try self.message(await connection.next(within: Self.patience))
      connection.secure(keys)
      let answer = try self.message(await connection.next(within: Self.patience))
      return (answer.isSealed, await connection.next(within: Self.patience))
    }
    #expect(isSealed)
    guard case .closed(reset: false, _) = end else { throw StepProblem("\(end)") }
  }

  @Test("Without the session, held bytes are garbage, and the end is reported at once") func neverOpened() async throws
  {
    let keys = Self.keys(1)
    let arrival = try await withPeer { actor, connection, peer in
      _ = connection.sealedAhead(Array("GET / HTTP/1.1\r\n\r\n".utf8), keys)
      peer.say(Array(Self.m4.utf8) + Self.sealed(keys))
      peer.streams[0].closeAfterWriting()
      _ = try self.message(await connection.next(within: Self.patience))
      return await connection.next(within: Self.patience)
    }
    guard case .garbage = arrival else { throw StepProblem("\(arrival)") }
  }

  @Test("A session of other keys starts with new counters") func otherKeys() async throws {
    let (first, second) = (Self.keys(1), Self.keys(2))
    let isSealed = try await withPeer { actor, connection, peer in
      _ = connection.sealedAhead([1], first)
      connection.secure(second)
      peer.say(Self.sealed(second))
      return try self.message(await connection.next(within: Self.patience)).isSealed
    }
    #expect(isSealed)
  }
}
