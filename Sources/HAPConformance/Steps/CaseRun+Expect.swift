import HAPExpectation
import HAPSuite
import HAPWire

extension CaseRun {
  func expect(_ expectation: Expectation) async throws {
    let connection = try await connection(expectation.on)
    let limit = expectation.within ?? world.answerLimit
    let arrival = await connection.next(within: limit)
    if Task.isCancelled { throw CaseInterrupted() }
    let time: Duration
    switch arrival {
    case .message(let message): time = message.time
    case .garbage(_, _, let at), .closed(_, let at): time = at
    case .silence: time = recorder.now
    }
    let view = AnswerView(arrival: arrival, took: time - connection.lastSent)
    try settle(expectation, view, on: connection, limit)
  }

  /// Finds the alternative that fits, and applies its consequences.
  private func settle(
    _ expectation: Expectation, _ view: AnswerView, on connection: WireConnection, _ limit: Duration
  ) throws {
    let name = expectation.on
    let procedure = expectation.procedure
    let judgement = AnswerComparison(
      view: view, setup: setups[procedure], verify: verifies[procedure], accessory: device.identity)
    var problems: [String] = []
    var accepted: [String] = []
    for alternative in expectation.alternatives {
      accepted.append(AnswerComparison.describe(alternative))
      switch try judgement.judge(alternative) {
      case .differs(let problem): problems.append(problem)
      case .fits(let fit):
        if let setup = fit.setup { setups[procedure] = setup }
        if let verify = fit.verify { verifies[procedure] = verify }
        follow(fit, expectation, on: connection)
        if let who = alternative.deviation { deviate("\(view.summary.prefix(200)) (so do \(who))") }
        if let text = alternative.record { note(text) }
        save(expectation.save, from: used.request(on: name)) { view.value($0) }
        return
      }
    }
    var isSilence = false
    if case .silence = view.arrival { isSilence = true }
    let message = problems.count == 1 ? problems[0] : "no accepted answer: \(problems.first ?? "")"
    var failure = CaseFailure(
      isSilence ? "no answer within \(limit.roundText)" : message, sent: lastRequest[name], accepted: accepted,
      got: view.summary, isSilence: isSilence)
    if case .message(let answer) = view.arrival {
      failure.pairingError = (try? TLV(decoding: answer.body))?.byte(TLVType.error)
    }
    throw failure
  }

  private func follow(_ fit: AnswerComparison.Fit, _ expectation: Expectation, on connection: WireConnection) {
    if fit.setupStep == .m6, let identity = fit.setup?.accessory {
      device.identity = identity
      // The first controller to pair is an admin, whichever it is.
      if device.owner == nil { device.owner = (try? controller(expectation.controller)) ?? device.admin }
      if scope["device"] != nil { scope["device"] = device.variable }
    }
    if fit.verifyStep == .m4, expectation.secures, let keys = fit.verify?.sessionKeys { connection.secure(keys) }
  }

  /// Sets variables to the values at their paths; to `null` if there is none.
  /// - Parameter procedures: the source of the values.
  func save(_ values: [SavedValue], from procedures: [Procedure], _ value: (String) -> JSONNode?) {
    used.save(values.map(\.variable), from: procedures)
    for saved in values { scope[saved.variable] = value(saved.path) ?? JSONNode(.null) }
  }
}
