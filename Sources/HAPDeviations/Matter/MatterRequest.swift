/// A message of a Matter controller, by its name in the specification. A command is also an `InvokeRequest`.
package enum MatterRequest: String, CaseIterable, Sendable {
  case pbkdfParamRequest = "PBKDFParamRequest"
  case pake1 = "Pake1"
  case pake3 = "Pake3"
  case sigma1 = "Sigma1"
  case sigma3 = "Sigma3"
  case read = "ReadRequest"
  case subscribe = "SubscribeRequest"
  case write = "WriteRequest"
  case timed = "TimedRequest"
  case invoke = "InvokeRequest"
  case armFailSafe = "ArmFailSafe"
  case setRegulatoryConfig = "SetRegulatoryConfig"
  case commissioningComplete = "CommissioningComplete"
  case attestation = "AttestationRequest"
  case certificateChain = "CertificateChainRequest"
  case signingRequest = "CSRRequest"
  case addNOC = "AddNOC"
  case updateNOC = "UpdateNOC"
  case updateFabricLabel = "UpdateFabricLabel"
  case removeFabric = "RemoveFabric"
  case addTrustedRoot = "AddTrustedRootCertificate"
  /// A command of another endpoint than the root endpoint.
  case applicationCommand = "ApplicationCommand"

  /// Whether it is answered in the secure channel, before there is a session.
  var isHandshake: Bool {
    switch self {
    case .pbkdfParamRequest, .pake1, .pake3, .sigma1, .sigma3: true
    default: false
    }
  }

  /// Whether the first field of its response is a code: a CommissioningErrorEnum or a NodeOperationalCertStatusEnum.
  var hasCode: Bool {
    switch self {
    case .armFailSafe, .setRegulatoryConfig, .commissioningComplete, .addNOC, .updateNOC, .updateFabricLabel,
      .removeFabric:
      true
    default: false
    }
  }

  /// The parts of its response that a rule can make wrong.
  var parts: [MatterEffect.Part] {
    switch self {
    case .attestation: [.nonce, .signature, .challenge]
    case .signingRequest: [.nonce, .signature, .challenge, .signingRequest]
    default: []
    }
  }
}

/// A message that a rule examines, as far as its conditions need it.
package enum MatterMessage: Equatable, Sendable {
  /// The names that it has.
  case request([MatterRequest])
  /// A message in an exchange that a request began, or continued.
  case answer(to: [MatterRequest])
  /// A message of a subscription's report, in an exchange of the node.
  case report
}
