import HAPHome
import HAPWeb
import HAPWire

/// A valid request to the API of homes, and who sent it.
struct HomeCall {
  private let call: WebCall<HomeOperation>
  /// The user whose token the request has; nil: the owner of the hub.
  let user: HomeObjectID?

  init(_ request: WebRequest, user: HomeObjectID?) throws(WebProblem) {
    (call, self.user) = (try WebCall(request), user)
  }

  var operation: HomeOperation { call.operation }

  func parameter(_ name: String) -> String { call.parameter(name) }

  func query(_ name: String) -> String? { call.query(name) }

  func reading<R>(_ body: (JSONNode) throws(JSONProblem) -> R) throws(WebProblem) -> R { try call.reading(body) }

  /// Answers a request for the log, or for an event stream. Users get the events of their home.
  func events(
    _ answer: (WebCall<HomeOperation>, EventStreamStart) throws(WebProblem) -> WebAnswer, in home: HomeObjectID?
  ) throws(WebProblem) -> WebAnswer {
    let names = try call.eventNames(of: HomeJournalEvent.names)
    return try answer(call, EventStreamStart(subject: home?.description, names: names))
  }
}
