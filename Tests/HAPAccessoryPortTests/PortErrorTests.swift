import HAPController
import HAPHome
import HAPHomeEngine
import HAPIP
import HAPLoop
import HAPModel
import HAPPairing
import HAPTransport
import HAPWire
import Testing

@testable import HAPAccessoryPort

/// The tables of home.md §9 for failures of a connection. The table of HAP statuses is tested in HAPHomeTests.
@Suite("Errors of the port") struct PortErrorTests {
  struct Row: Sendable {
    let error: ClientError
    let answer: SceneAnswer
    let code: HomeError.Code
    var isViolation = false
    var isAnswer = false
  }

  private static let problem = JSONProblem(path: "", place: JSONPlace(line: 1, column: 1), message: "x")
  private static func pairing(_ cause: PairingFailure.Cause) -> ClientError {
    .pairing(PairingFailure(step: 2, cause: cause))
  }

  static let rows: [Row] = [
    Row(error: .unreachable([]), answer: .notSent, code: .accessoryNotReachable),
    Row(error: .notSent(request: "GET /x", nil), answer: .notSent, code: .accessoryNotReachable),
    Row(error: .crowded(request: "GET /x"), answer: .notSent, code: .accessoryIsBusy),
    Row(error: .timedOut("GET /x"), answer: .connectionLost, code: .operationTimedOut),
    Row(error: .closed(during: "GET /x"), answer: .connectionLost, code: .communicationFailure),
    Row(
      error: .lost(LoopError(.timedOut, "x"), during: "GET /x"), answer: .connectionLost, code: .communicationFailure),
    Row(error: .flooded, answer: .connectionLost, code: .communicationFailure),
    Row(error: .cancelled, answer: .connectionLost, code: .operationCancelled),
    Row(error: .malformed(.cutOff(3)), answer: .connectionLost, code: .communicationFailure),
    Row(
      error: .malformed(.frame(.badTag)), answer: .wrongSignature, code: .messageAuthenticationFailed,
      isViolation: true),
    Row(
      error: .malformed(.frame(.tooLong(9999))), answer: .unreadable, code: .accessorySentInvalidResponse,
      isViolation: true),
    Row(
      error: .malformed(.http(.badStartLine)), answer: .unreadable, code: .accessorySentInvalidResponse,
      isViolation: true),
    Row(error: .malformed(.tooMuch), answer: .unreadable, code: .accessorySentInvalidResponse, isViolation: true),
    Row(error: .unasked(200), answer: .unreadable, code: .accessorySentInvalidResponse, isViolation: true),
    Row(
      error: .noTLV(request: "POST /x"), answer: .unreadable, code: .accessorySentInvalidResponse, isViolation: true,
      isAnswer: true),
    Row(
      error: .body(problem, request: "GET /x"), answer: .unreadable, code: .accessorySentInvalidResponse,
      isViolation: true, isAnswer: true),
    Row(
      error: .status(500, request: "GET /x"), answer: .refused(status: nil), code: .accessorySentInvalidResponse,
      isAnswer: true),
    Row(error: pairing(.refused(2)), answer: .notSent, code: .accessoryNotReachable),
    Row(error: pairing(.otherAccessory(identifier: [])), answer: .notSent, code: .accessoryNotReachable),
    Row(error: pairing(.wrongSignature), answer: .notSent, code: .accessoryNotReachable, isViolation: true),
    Row(error: pairing(.brokenSeal), answer: .notSent, code: .accessoryNotReachable, isViolation: true),
    Row(error: pairing(.unexpectedState(9)), answer: .notSent, code: .accessoryNotReachable, isViolation: true),
  ]

  @Test("Each failure of a connection has its outcome, its number, and is a violation or not", arguments: rows)
  func failures(_ row: Row) {
    #expect(SceneAnswer(row.error) == row.answer)
    let error = HomeError(row.error, "the device x")
    #expect(error.code == row.code && error.message.hasPrefix("the device x: "), "\(error)")
    #expect(row.error.isViolation == row.isViolation)
    #expect(row.error.isAnswer == row.isAnswer)
  }

  @Test(
    "A refused Pair Setup has the number of its reason",
    arguments: [(1, 18), (2, 18), (3, 14), (4, 16), (5, 18), (6, 18), (7, 14), (99, 18)] as [(UInt8, Int)])
  func pairSetup(_ reason: UInt8, _ number: Int) {
    let error = HomeError(AccessError.pairSetup(PairingFailure(step: 4, cause: .refused(reason))), "x")
    #expect(error.code.rawValue == number)
  }

  @Test(
    "A refused Add or Remove Pairing has the number of its reason",
    arguments: [(1, 50), (2, 17), (3, 14), (4, 16), (5, 14), (6, 14), (7, 14), (99, 50)] as [(UInt8, Int)])
  func pairings(_ reason: UInt8, _ number: Int) {
    #expect(HomeError(AccessError.pairingsRefused(reason), "x").code.rawValue == number)
  }

  @Test("An error of the store is passed unchanged")
  func ownError() {
    let error = HomeError(.maximumObjectLimitReached, .l1, "the disk is full")
    #expect(HomeError(error as any Error, "x") == error)
  }

  @Test("An answer to a write with 200 or 204 may leave out entries; with another status, they stay unknown")
  func answers() throws {
    let (first, second) = (AttributeID(aid: 1, iid: 2), AttributeID(aid: 1, iid: 3))
    func answer(_ entries: String, _ status: Int) throws -> SceneAnswer {
      var reader = AttributeReader()
      let list = try CharacteristicEntry.list(Array("{\"characteristics\":[\(entries)]}".utf8), &reader)
      return SceneAnswer(list, httpStatus: status, to: [first, second])
    }
    let refused = #"{"aid":1,"iid":2,"status":-70410}"#
    let done = #"{"aid":1,"iid":3,"status":0}"#
    #expect(try answer("", 204) == .done)
    #expect(try answer("", 200) == .done)
    #expect(try answer(done, 200) == .done)
    #expect(try answer(refused, 200) == .statuses([.init(first, -70410), .init(second, 0)]))
    #expect(try answer(refused, 207) == .statuses([.init(first, -70410)]))
    #expect(try answer("\(done),\(refused)", 207) == .statuses([.init(second, 0), .init(first, -70410)]))
    #expect(try answer("", 207) == .statuses([]))
  }

  @Test("A write of several characteristics: an entry that is missing in the answer 207 did not succeed")
  func missingEntry() throws {
    let ids = [AttributeID(aid: 1, iid: 8), AttributeID(aid: 1, iid: 9)]
    var reader = AttributeReader()
    let text = #"{"characteristics":[{"aid":1,"iid":8,"status":0}]}"#
    let entries = try CharacteristicEntry.list(Array(text.utf8), &reader)
    #expect(SceneAnswer(entries, httpStatus: 207, to: ids) == .statuses([.init(ids[0], 0)]))
    #expect(SceneAnswer(entries, httpStatus: 200, to: ids) == .done)
  }
}
