import HAPController
import HAPHome
import HAPHomeEngine
import HAPIP
import HAPLoop
import HAPModel
import HAPTransport
import HAPWire

/// The requests of the hub. A request never waits for a later connection than the present one.
extension HAPDeviceConnection {
  func answer(to request: ControllerRequest) async throws(ClientError) -> LinkMessage {
    try await session.request(request, timeout: limits.answer, waits: false)
  }

  /// Runs a request, and translates its error.
  private func perform<T>(_ body: () async throws -> T) async throws(HomeError) -> T {
    try await waitUntilReady()
    do { return try await body() } catch {
      if let error = error as? ClientError { note(error) }
      throw HomeError(error, "the device \(pairing.device)")
    }
  }

  /// Reports a violation that does not end the connection. One that does is reported with the end.
  private func note(_ error: ClientError) { if error.isAnswer, error.isViolation { reportViolation(error) } }

  func read(_ ids: [AttributeID]) async throws(HomeError) -> [DeviceValue] {
    let entries = try await perform { try await readEntries(ids) }
    return values(of: entries, "GET /characteristics")
  }

  /// The values of entries, in the formats of the database.
  func values(of entries: [CharacteristicEntry], _ place: String) -> [DeviceValue] {
    guard let results = mirror?.results(of: entries, place) else {
      return entries.map { entry in
        DeviceValue(
          id: entry.id, value: entry.isSuccess ? entry.value.flatMap { Value(json: $0) } : nil,
          status: entry.status ?? 0)
      }
    }
    return results.map { DeviceValue(id: $0.id, value: $0.value, status: $0.status) }
  }

  func write(
    _ entries: [ScenePut.Entry], _ authorizations: [HomeObjectID: [UInt8]], isTimed: Bool
  ) async -> SceneAnswer {
    if isOver { return .notSent }
    var pid: UInt64?
    do throws(ClientError) { if isTimed { pid = try await prepareWrite() } } catch {
      note(error)
      // The write itself was not sent. After an answer, the connection remains.
      return error.isAnswer ? .refused(status: nil) : .notSent
    }
    let request = ControllerRequest.write(
      entries.map { .init($0.id, value: $0.value, authData: authorizations[$0.characteristic]) }, pid: pid)
    let answer: LinkMessage
    do throws(ClientError) {
      answer = try await session.request(request, timeout: limits.write, waits: false)
    } catch { return SceneAnswer(error) }
    var reader = AttributeReader()
    switch ControllerConnection.entries(.success(answer), request.name, &reader) {
    case .success(let list): return SceneAnswer(list, httpStatus: answer.status, to: entries.map(\.id))
    case .failure(.status): return .refused(status: answer.hapStatus)
    case .failure(let error):
      note(error)
      return SceneAnswer(error)
    }
  }

  func drop() async { await session.drop() }

  func identify(aid: UInt64) async throws(HomeError) {
    try await perform {
      if let mirror { return try await identify(in: mirror.database, aid: aid) }
      try await identify(in: try await readFirstDatabase(), aid: aid)
    }
  }

  func addController(_ pairing: Pairing) async throws(HomeError) {
    try await perform { try await changePairings(.adding(pairing)) }
  }

  func removeController(_ identifier: [UInt8]) async throws(HomeError) {
    try await perform { try await changePairings(.removing(identifier)) }
    if identifier == pairing.identity.credentials.identifier { await close() }
  }
}

extension SceneAnswer {
  /// - Parameters:
  ///   - entries: of the answer.
  ///   - httpStatus: of the answer.
  ///   - ids: the characteristics of the request.
  init(_ entries: [CharacteristicEntry], httpStatus: Int, to ids: [AttributeID]) {
    var statuses = entries.map { Status($0.id, $0.status ?? 0) }
    // An entry may be missing only if the whole request succeeded. HAP R2 §6.7.2.
    if httpStatus == 200 || httpStatus == 204 {
      if statuses.allSatisfy({ $0.status == 0 }) {
        self = .done
        return
      }
      let known = Set(statuses.map(\.id))
      statuses += ids.filter { !known.contains($0) }.map { Status($0, 0) }
    }
    self = .statuses(statuses)
  }
}

extension LinkMessage {
  /// The HAP status of an error for a whole request: {"status": -70410}. HAP R2 §6.7.1.4.
  fileprivate var hapStatus: Int? {
    (try? JSONNode.parse(body))?["status"]?.integerValue.flatMap { Int(exactly: $0) }.flatMap { $0 == 0 ? nil : $0 }
  }
}
