import HAPHome
import HAPHubLink

/// An app that is connected with the hub. Belongs to the hub.
final class HubClient {
  typealias Reply = @Sendable (Result<HubAnswer, HomeError>) -> Void

  /// The greatest number of requests without an answer. With more, the next request is taken after an answer.
  static let mostOpen = 64

  let app: any HubApp
  /// The name in `attach`; nil: it is not attached, and gets no events.
  var name: String?
  var subscribed: Set<HomeObjectID> = []
  var searches = false
  /// The requests without an answer.
  private var open: [Int: Reply] = [:]
  private var lastRequest = 0

  init(_ app: any HubApp) { self.app = app }

  var isCrowded: Bool { open.count >= Self.mostOpen }

  /// The entry of the hub's status; nil without a name.
  var status: HubStatus.App? {
    name.map {
      HubStatus.App(name: $0, processID: app.processID, subscriptions: subscribed.count, gaps: app.gaps)
    }
  }

  /// Keeps a request until its answer.
  /// - Returns: calls the reply, once.
  func opened(_ reply: @escaping Reply) -> (Result<HubAnswer, HomeError>) -> Void {
    lastRequest += 1
    let number = lastRequest
    open[number] = reply
    return { [self] in open.removeValue(forKey: number)?($0) }
  }

  /// Refuses all open requests, because the hub ends.
  func refuseAll() {
    let all = open.sorted { $0.key < $1.key }
    open = [:]
    for (_, reply) in all { reply(.failure(.hubEnds)) }
  }

  func receive(_ event: SharedHubEvent) { if name != nil { app.receive(event) } }
}
