import HAPHome
import HAPHubLink
import HAPLoop

/// An app of the hub in its process, for the API. The hub calls it on its executor, which is the loop of the API.
final class HubListener: HubApp {
  let processID: Int?
  let user: HomeObjectID?
  let gaps = 0
  private let take: @Sendable (HubEvent) -> Void

  /// - Parameters:
  ///   - user: the user for whom it acts; nil: the owner of the hub.
  ///   - take: called on the loop, for each event in order.
  init(processID: Int?, user: HomeObjectID? = nil, _ take: @escaping @Sendable (HubEvent) -> Void = { _ in }) {
    (self.processID, self.user, self.take) = (processID, user, take)
  }

  func receive(_ event: SharedHubEvent) { take(event.event) }
  func end() {}
}
