import HAPHome

/// The connection of an app with its hub: in the same process, or through the socket in the hub's folder.
///
/// Answers and events arrive in the order of the changes. `replica` applies both.
package protocol HomeLink: Sendable {
  /// Sends a request, and waits for its answer.
  /// - Throws: the reason of a refusal; 91 if the hub has ended or can't be reached.
  func ask(_ request: HubRequest) async throws(HomeError) -> HubAnswer
  /// Sends a request at once, so that the requests of one thread keep their order.
  /// - Parameter reply: called once, on any thread, with what `ask` returns or throws.
  func send(_ request: HubRequest, reply: @escaping @Sendable (Result<HubAnswer, HomeError>) -> Void)
  /// The homes as of the last answer and event that arrived. Two streams, one of answers and one of events, would not
  /// show their common order.
  var replica: HomeReplica { get }
  /// The events since `attach`, for one reader. The sequence ends with the link. If the reader is too slow, `missed`
  /// replaces events.
  var events: AsyncStream<HubEvent> { get }
  /// Ends the link. Its subscriptions end. Can be called any number of times.
  func close() async
}

extension HomeError {
  /// The answer of a hub that ends.
  package static let hubEnds = HomeError(.noHomeHub, nil, "the hub is not running: start 'hapctl hub run'")
}
