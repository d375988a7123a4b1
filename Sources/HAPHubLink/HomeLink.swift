import HAPHome

/// The connection of an app with its hub: in the same process, or through the socket in the hub's folder.
///
/// The order of answers and events is that of the changes. An app that applies the changes of both has the hub's model.
package protocol HomeLink: Sendable {
  /// Sends a request, and waits for its answer.
  /// - Throws: the reason of a refusal; 91 if the hub has ended or can't be reached.
  func ask(_ request: HubRequest) async throws(HomeError) -> HubAnswer
  /// The events since `attach`, for one reader. The sequence ends with the link.
  var events: AsyncStream<HubEvent> { get }
  /// Ends the link. Its subscriptions end. Can be called any number of times.
  func close() async
}
