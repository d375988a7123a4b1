import MatterModel
import MatterWire

extension InteractionServer {
  mutating func invoke(
    _ request: InvokeRequest, _ context: RequestContext, _ target: inout some InteractionTarget
  ) throws(InteractionStatus) -> [InteractionAction] {
    try context.checkTimed(request.isTimed)
    // MaxPathsPerInvoke is 1.
    guard request.items.count == 1, let item = request.items.first else { throw InteractionStatus(.invalidAction) }
    var answers: [InvokeResponse.Item] = []
    for path in endpoints(of: item.path, context.peer.subject, target) {
      answers.append(Self.invoke(path, item, context.peer.subject, isTimed: request.isTimed, &target))
    }
    if request.suppressesResponse { return [.close(context.exchange)] }
    return try sendAnswers(answers.map { encoded($0) }, context)
  }

  /// The paths of a command: with an endpoint wildcard, those that exist and are allowed.
  private func endpoints(
    of pattern: CommandPattern, _ subject: Subject, _ target: some InteractionTarget
  ) -> [CommandPath] {
    if let endpoint = pattern.endpoint { return [CommandPath(endpoint, pattern.cluster, pattern.command)] }
    let access = AccessControl(subject, target)
    return target.endpoints.compactMap { endpoint in
      let path = CommandPath(endpoint, pattern.cluster, pattern.command)
      return (try? Self.check(path, subject, isTimed: true, access, target)) == nil ? nil : path
    }
  }

  private static func invoke(
    _ path: CommandPath, _ item: InvokeRequest.Item, _ subject: Subject, isTimed: Bool,
    _ target: inout some InteractionTarget
  ) -> InvokeResponse.Item {
    let outcome: CommandOutcome
    do throws(InteractionStatus) {
      try check(path, subject, isTimed: isTimed, AccessControl(subject, target), target)
      outcome = target.invoke(path, Element(.anonymous, .container(.structure, item.fields)), for: subject)
    } catch { outcome = .status(error) }
    let command = if case .response(let response, _) = outcome { response } else { path.command }
    return InvokeResponse.Item(
      CommandPattern(path.endpoint, path.cluster, command), outcome, reference: item.reference)
  }

  /// Checks an invoke in the order of Matter 1.4 §8.8.3.2.
  private static func check(
    _ path: CommandPath, _ subject: Subject, isTimed: Bool, _ access: AccessControl, _ target: some InteractionTarget
  ) throws(InteractionStatus) {
    let description = try access.cluster(path.cluster, on: path.endpoint, of: target)
    guard let command = description.command(path.command) else { throw InteractionStatus(.unsupportedCommand) }
    try access.demand(command.invoke, on: path.endpoint, path.cluster, of: target)
    if command.isFabricScoped, subject.fabric == 0 { throw InteractionStatus(.unsupportedAccess) }
    if command.isTimed, !isTimed { throw InteractionStatus(.needsTimedInteraction) }
  }

  // MARK: Answers

  /// The bytes of a response around its answers.
  private static let frame = 16

  /// Encodes an answer. One that is larger than a message becomes a status.
  private func encoded(_ item: InvokeResponse.Item) -> [UInt8] {
    let bytes = item.encoded
    guard bytes.count + Self.frame > limits.payloadBytes else { return bytes }
    return InvokeResponse.Item(
      item.path, .status(InteractionStatus(.resourceExhausted)), reference: item.reference
    ).encoded
  }

  /// Sends the answers that fit, and keeps the others until the peer has answered.
  mutating func sendAnswers(
    _ answers: [[UInt8]], _ context: RequestContext
  ) throws(InteractionStatus) -> [InteractionAction] {
    var (size, count) = (Self.frame, 0)
    for answer in answers {
      size += answer.count
      if size > limits.payloadBytes { break }
      count += 1
    }
    let hasMore = count < answers.count
    if hasMore { try wait(context, for: .invoking(Array(answers[count...]))) }
    let payload = InvokeResponse.encode(Array(answers[..<count]), hasMore: hasMore)
    return [.send(InteractionMessage(.invokeResponse, payload), on: context.exchange, expectsAnswer: hasMore)]
  }
}
