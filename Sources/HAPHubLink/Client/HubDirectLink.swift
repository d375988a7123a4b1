import HAPHome

/// A link with a hub in the same process.
package final class HubDirectLink: HomeLink, HubApp {
  private let hub: any HubServing
  private let inbox = HubInbox()
  package let processID: Int?
  package let events: AsyncStream<HubEvent>

  private init(_ hub: any HubServing, processID: Int?) {
    (self.hub, self.processID) = (hub, processID)
    events = inbox.queue.events
  }

  /// Connects with a hub.
  package static func connect(to hub: any HubServing, processID: Int? = nil) async -> HubDirectLink {
    let link = HubDirectLink(hub, processID: processID)
    await hub.connect(link)
    return link
  }

  package var replica: HomeReplica { inbox.replica }

  package func ask(_ request: HubRequest) async throws(HomeError) -> HubAnswer {
    let id = try inbox.begin()
    await hub.take(request, from: self) { [inbox] in inbox.receive(id, $0) }
    return try await inbox.answer(to: id)
  }

  package func close() async {
    inbox.end(HomeError(.noHomeHub, nil, "the link with the hub was closed"))
    await hub.disconnect(self)
  }

  // MARK: The app, for the hub

  package var gaps: Int { inbox.queue.gaps }

  package func receive(_ event: HubEvent) { inbox.receive(event) }

  package func end() { inbox.end(HomeError(.noHomeHub, nil, "the hub has ended")) }
}
