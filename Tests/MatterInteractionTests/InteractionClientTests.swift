import MatterModel
import MatterWire
import Testing

@testable import MatterInteraction

@Suite("The initiator of interactions") struct InteractionClientTests {
  private func message(_ report: ReportData) -> InteractionMessage { InteractionMessage(.report, report.encoded) }
  private func status(_ code: InteractionStatus.Code) -> InteractionMessage {
    InteractionMessage(.status, StatusResponse(code).encoded)
  }

  /// The status of a request that failed as a whole.
  private func failure(_ step: ClientInteraction.Step) -> InteractionStatus.Code? {
    if case .finish(.failure(let status)) = step { status.code } else { nil }
  }

  @Test("A status instead of an answer is a failure, also Success") func statuses() {
    for code: InteractionStatus.Code in [.success, .busy, .invalidAction] {
      var client = ClientInteraction(.read(ReadRequest([AttributePattern(1)])))
      #expect(failure(client.receive(status(code))) == code)
    }
  }

  @Test("After a timed request, Success lets the request follow, once") func timed() {
    let request = InvokeRequest([InvokeRequest.Item(CommandPattern(1, 6, 2))], isTimed: true)
    var client = ClientInteraction(.invoke(request, milliseconds: 300))
    #expect(client.start == InteractionMessage(.timed, TimedRequest(milliseconds: 300).encoded))
    guard case .send(let message) = client.receive(status(.success)) else {
      Issue.record("no request")
      return
    }
    #expect(message == InteractionMessage(.invoke, request.encoded))
    #expect(failure(client.receive(status(.success))) == .success)
  }

  @Test("A message that is malformed, or of another kind, is a failure") func otherMessages() {
    for message in [
      InteractionMessage(.report, [0x15]), InteractionMessage(.writeResponse, WriteResponse([]).encoded),
      message(ReportData([ReportData.Attribute(AttributePattern(1), .change(.replace(.null), version: 1))])),
      message(ReportData([ReportData.Attribute(AttributePattern(1, 6, 0), .change(.append(.null), version: 1))])),
    ] {
      var client = ClientInteraction(.read(ReadRequest([AttributePattern(1)])))
      #expect(failure(client.receive(message)) == .invalidAction)
    }
  }

  @Test("A report of an unknown subscription is answered with InvalidSubscription") func unknownSubscription() {
    for id: UInt32? in [8, nil] {
      var client = ClientReport(subscriptions: [7])
      guard case .fail(let failure, let answer) = client.receive(message(ReportData(subscription: id))) else {
        Issue.record("the report was accepted")
        return
      }
      #expect(failure.code == .invalidSubscription)
      #expect(answer == status(.invalidSubscription))
    }
  }

  @Test("An empty report that suppresses the response is not answered") func keepalive() {
    var client = ClientReport(subscriptions: [7])
    let report = ReportData(subscription: 7, suppressesResponse: true)
    guard case .finish(_, nil) = client.receive(message(report)) else {
      Issue.record("the report was answered")
      return
    }
  }
}
