import HAPAttributes
import HAPIP
import HAPLoop
import HAPModel
import HAPTestSupport
import HAPWire

@testable import HAPTransport

/// An accessory on loopback whose answers to the requests of verified sessions are given by the test.
final class ScriptedHome: @unchecked Sendable {  // the server is confined to the loop's thread
  let loop = EventLoop(name: "scripted")
  private let owner = ScriptedOwner()
  private let served = Served()
  let port: UInt16

  /// The loop's closures retain this object instead of the home, because the home must not be released on the loop.
  private final class Served: @unchecked Sendable { var server: AccessoryServer! }

  init() throws {
    loop.start()
    port = try loop.performAndWait { [loop, owner, served] in
      let core = TestHome.accessory(pairings: TestHome.pairings).core
      core.forwards = true
      let server = AccessoryServer(core, on: loop, owner: owner)
      served.server = server
      try server.listen(on: [ListeningPlace(.loopbackV4)], port: 0)
      return server.port
    }
  }

  deinit {
    try! loop.performAndWait { [served] in served.server.stop() }
    loop.stop()
  }

  /// Waits for the next request. Its answer is given with `answer`.
  func request() async -> ControllerRequest? {
    for await request in owner.requests { return request }
    return nil
  }

  /// Answers the last request.
  /// - Parameter message: the answer; `nil` closes the connection without an answer.
  func answer(_ message: LinkMessage?) {
    try! loop.performAndWait { [served, owner] in
      guard let ticket = owner.ticket else { preconditionFailure("there is no request to answer") }
      owner.ticket = nil
      served.server.forwarded(message, ticket: ticket)
    }
  }

  func answer(_ status: Int, json: String = "") {
    answer(
      LinkMessage(status: status, contentType: json.isEmpty ? .none : .json, body: Array(json.utf8)))
  }

  /// Answers a request for the database with characteristics of these instance IDs.
  func answerDatabase(_ iids: [Int]) {
    let characteristics = iids.map { #"{"iid":\#($0),"type":"25","format":"bool","perms":["pr","ev"],"value":false}"# }
    answer(
      200,
      json: #"{"accessories":[{"aid":1,"services":[{"iid":1,"type":"43","characteristics":["#
        + characteristics.joined(separator: ",") + "]}]}]}")
  }
}

private final class ScriptedOwner: ActionOwner, AccessoryServerOwner, @unchecked Sendable {
  let requests: AsyncStream<ControllerRequest>
  private let received: AsyncStream<ControllerRequest>.Continuation
  /// The ticket of the last request. Used only on the loop's thread.
  var ticket: Ticket?

  init() { (requests, received) = AsyncStream.makeStream() }

  func forward(_ request: ControllerRequest, of connection: ConnectionID, ticket: Ticket) {
    self.ticket = ticket
    received.yield(request)
  }

  func store(_ change: StoredChange, done: @escaping (Bool) -> Void) { done(true) }
  func keep(_ changes: [(id: AttributeID, value: Value)]) {}
  func advertise(_ advertisement: Advertisement) {}
  func identify(aid: UInt64) {}
  func wrote(_ write: ServiceWrite) {}
  func read(_ ids: [AttributeID], ticket: Ticket) {}
  func report(_ report: AccessoryReport) {}
}
