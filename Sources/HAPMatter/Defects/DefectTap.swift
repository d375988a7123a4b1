import HAPCrypto
import HAPDeviations
import MatterModel
import MatterProtocol
import MatterWire

/// Applies the rules of a defect to the messages of a node. Belongs to the loop's thread.
final class DefectTap: NodeTap {
  private var script: MatterScript
  private let credentials: DeviceCredentials
  private let random: RandomSource
  /// The last requests of exchanges, the newest at the end.
  private var requests: [(exchange: ExchangeHandle, kind: TappedMessage.Kind)] = []
  /// More exchanges than a node has open at one time in practice. The oldest one is forgotten first.
  private static let mostRequests = 64

  /// - Parameter credentials: of the node, to sign altered answers.
  /// - Returns: nil if the defect has no rules for messages.
  init?(_ defect: MatterDefect, _ credentials: DeviceCredentials, random: RandomSource) {
    (script, self.credentials, self.random) = (MatterScript(defect), credentials, random)
    if script.isEmpty { return nil }
  }

  func receives(_ message: TappedMessage) -> TapDecision {
    let kind = message.kind
    let names = kind.names
    guard !names.isEmpty else { return .handle }
    requests.removeAll { $0.exchange == message.exchange }
    if requests.count == Self.mostRequests { requests.removeFirst() }
    requests.append((message.exchange, kind))
    for effect in script.effects(on: .request(names)) {
      switch effect {
      case .refuseWithCode(let code):
        if case .invoke(let path, let reference) = kind {
          return .outcome(path.response(code: code), of: path, reference: reference)
        }
      case .refuse(let status): return status.decision(for: kind)
      case .expireFailSafe: return .expireFailSafe
      case .drop, .code, .status, .wrong: break
      }
    }
    return .handle
  }

  func sends(_ message: inout TappedMessage) -> Int {
    if message.isOwnExchange {
      return message.kind == .report ? lostTransmissions(script.effects(on: .report)) : 0
    }
    guard let request = requests.first(where: { $0.exchange == message.exchange })?.kind else { return 0 }
    let effects = script.effects(on: .answer(to: request.names))
    for effect in effects {
      switch effect {
      case .code(let code):
        if case .invoke(let path, _) = request { message.replaceOutcome(path.response(code: code), of: path) }
      case .status(let status):
        if case .invoke(let path, _) = request, case .interaction(let code) = status, message.outcome != nil {
          message.replaceOutcome(.status(InteractionStatus(code)), of: path)
        } else {
          message.replace(by: status.decision(for: request))
        }
      case .wrong(let part):
        if case .invoke(let path, _) = request { falsify(part, of: &message, path) }
      case .drop, .refuseWithCode, .refuse, .expireFailSafe: break
      }
    }
    return lostTransmissions(effects)
  }

  private func lostTransmissions(_ effects: [MatterEffect]) -> Int {
    effects.reduce(0) { most, effect in if case .drop(let count) = effect { max(most, count) } else { most } }
  }

  // MARK: Answers with a signature

  /// Changes a part of AttestationResponse or CSRResponse. All else of it is correct.
  private func falsify(_ part: MatterEffect.Part, of message: inout TappedMessage, _ path: CommandPath) {
    guard case .response(let response, let fields)? = message.outcome, fields.count == 2,
      case .octets(var elements) = fields[0].value, case .octets(var signature) = fields[1].value,
      var challenge = message.attestationChallenge
    else { return }
    switch part {
    case .nonce: elements = Self.flipped(2, of: elements)
    case .signingRequest: elements = Self.flipped(1, of: elements)
    case .challenge: challenge = SecretBytes(random.bytes(challenge.count))
    case .signature: break
    }
    if part == .signature {
      signature.flipLastBit()
    } else {
      signature = credentials.sign(elements, challenge: challenge, random: random)
    }
    message.replaceOutcome(
      .response(
        response, [Element(fields[0].tag, .octets(elements)), Element(fields[1].tag, .octets(signature))]), of: path)
  }

  /// Changes the last bit of a member of a structure.
  private static func flipped(_ tag: UInt8, of elements: [UInt8]) -> [UInt8] {
    guard var element = try? Element(decoding: elements), case .container(let container, var members) = element.value,
      let index = members.firstIndex(where: { $0.tag == .context(tag) }),
      case .octets(var octets) = members[index].value
    else { return elements }
    octets.flipLastBit()
    members[index].value = .octets(octets)
    element.value = .container(container, members)
    return element.encoded
  }
}

extension [UInt8] {
  mutating func flipLastBit() {
    if let last { self[count - 1] = last ^ 1 }
  }
}

// MARK: - Names and answers

extension TappedMessage.Kind {
  /// The names of a request. Empty: it is no request.
  var names: [MatterRequest] {
    switch self {
    case .handshake(.pbkdfParamRequest): [.pbkdfParamRequest]
    case .handshake(.pake1): [.pake1]
    case .handshake(.pake3): [.pake3]
    case .handshake(.sigma1): [.sigma1]
    case .handshake(.sigma3): [.sigma3]
    case .handshake, .report, .other: []
    case .read: [.read]
    case .subscribe: [.subscribe]
    case .write: [.write]
    case .timed: [.timed]
    case .invoke(let path, _): [.invoke] + (path.name.map { [$0] } ?? [])
    }
  }
}

extension CommandPath {
  fileprivate var name: MatterRequest? {
    guard endpoint == 0 else { return .applicationCommand }
    return switch (RootCluster(rawValue: cluster), command) {
    case (.generalCommissioning, 0): .armFailSafe
    case (.generalCommissioning, 2): .setRegulatoryConfig
    case (.generalCommissioning, 4): .commissioningComplete
    case (.operationalCredentials, 0): .attestation
    case (.operationalCredentials, 2): .certificateChain
    case (.operationalCredentials, 4): .signingRequest
    case (.operationalCredentials, 6): .addNOC
    case (.operationalCredentials, 7): .updateNOC
    case (.operationalCredentials, 9): .updateFabricLabel
    case (.operationalCredentials, 10): .removeFabric
    case (.operationalCredentials, 11): .addTrustedRoot
    default: nil
    }
  }

  /// The response to a command of the root endpoint that has a code.
  fileprivate func response(code: UInt8) -> CommandOutcome {
    let member = Element(.context(0), .unsigned(UInt64(code)))
    // NOCResponse; the others have a text for debugging.
    return cluster == RootCluster.operationalCredentials.rawValue
      ? .response(8, [member]) : .response(command + 1, [member, Element(.context(1), .text(""))])
  }
}

extension MatterEffect.Status {
  /// The answer to a request. A command has a status of its own; other requests fail as a whole.
  fileprivate func decision(for request: TappedMessage.Kind) -> TapDecision {
    switch (self, request) {
    case (.secureChannel(let code), _): .report(code)
    case (.interaction(let code), .invoke(let path, let reference)):
      .outcome(.status(InteractionStatus(code)), of: path, reference: reference)
    case (.interaction(let code), _): .status(code)
    }
  }
}
