import HAPCrypto
import MatterInteraction
import MatterModel
import MatterProtocol
import MatterWire

/// Why a controller could not do what it was asked to.
package struct ClientFailure: Error, Hashable, Sendable {
  /// A phrase.
  package var reason: String

  package init(_ reason: String) { self.reason = reason }
}

/// What a commissioner asks of a new node after PASE, request by request. Matter 1.4 §5.5.
struct Commissioning: Sendable {
  enum Step: Sendable {
    case request(InteractionRequest)
    /// Asks the caller for a session of CASE, and then for `connected`.
    case connect
    case finish
  }

  /// The request whose result is next.
  private enum Stage: Sendable {
    case information, failSafe, regulatoryConfig, intermediate, device, attestation, signingRequest, root, certificate
    case operational, completion, end

    /// The name of the request, for messages.
    var request: String {
      switch self {
      case .information: "ReadRequest"
      case .failSafe: "ArmFailSafe"
      case .regulatoryConfig: "SetRegulatoryConfig"
      case .intermediate, .device: "CertificateChainRequest"
      case .attestation: "AttestationRequest"
      case .signingRequest: "CSRRequest"
      case .root: "AddTrustedRootCertificate"
      case .certificate: "AddNOC"
      case .operational: "CASE"
      case .completion: "CommissioningComplete"
      case .end: "the last request"
      }
    }
  }

  private let fabric: ControllerFabric
  private let node: NodeID
  private let authorities: [AttestationCertificate]
  private let challenge: SecretBytes
  private let time: UInt32?
  private let random: RandomSource
  private var stage = Stage.information
  private var vendor: UInt16 = 0
  private var product: UInt16 = 0
  private var intermediate: [UInt8] = []
  private var nonce: [UInt8] = []
  private var verifier: AttestationVerifier?
  private var publicKey: [UInt8] = []

  /// - Parameters:
  ///   - node: the identifier that the node gets in the fabric.
  ///   - authorities: the trusted ones.
  ///   - challenge: the attestation challenge of the session.
  ///   - time: now, in seconds since 2000-01-01; nil: there is no clock.
  init(
    _ fabric: ControllerFabric, node: NodeID, authorities: [AttestationCertificate], challenge: SecretBytes,
    time: UInt32?, random: RandomSource
  ) {
    (self.fabric, self.node, self.authorities) = (fabric, node, authorities)
    (self.challenge, self.time, self.random) = (challenge, time, random)
  }

  /// What the commissioning waits for, as a phrase for messages.
  var missing: String { stage == .operational ? "there is no CASE session" : "no answer to \(stage.request)" }

  /// The first request.
  let start = InteractionRequest.read(
    ReadRequest(
      [
        AttributePattern(0, RootCluster.generalCommissioning.rawValue), AttributePattern(vendorPath),
        AttributePattern(productPath),
      ], isFabricFiltered: false))

  private static let vendorPath = AttributePath(0, RootCluster.basicInformation.rawValue, 2)
  private static let productPath = AttributePath(0, RootCluster.basicInformation.rawValue, 4)
  /// The time of the fail-safe in seconds.
  private static let seconds: UInt16 = 60

  /// Takes the result of the last request.
  mutating func receive(_ result: InteractionResult) throws(ClientFailure) -> Step {
    let present = stage
    stage = .end
    return try next(after: present, result)
  }

  /// Notes that there is a session of CASE.
  mutating func connected() -> InteractionRequest {
    precondition(stage == .operational, "no session was asked for")
    stage = .completion
    return .command(.generalCommissioning, 4)
  }

  // MARK: Stages

  private mutating func next(after present: Stage, _ result: InteractionResult) throws(ClientFailure) -> Step {
    switch present {
    case .information:
      (vendor, product) = (try result.number(Self.vendorPath), try result.number(Self.productPath))
      return request(.failSafe, .generalCommissioning, 0, [(0, .number(Self.seconds)), (1, .unsigned(3))])
    case .failSafe:
      try result.requireSuccess(present.request)
      return request(
        .regulatoryConfig, .generalCommissioning, 2, [(0, .unsigned(0)), (1, .text("XX")), (2, .unsigned(4))])
    case .regulatoryConfig:
      try result.requireSuccess(present.request)
      return request(.intermediate, .operationalCredentials, 2, [(0, .unsigned(2))])
    case .intermediate:
      intermediate = try result.octets(0, of: present.request)
      return request(.device, .operationalCredentials, 2, [(0, .unsigned(1))])
    case .device:
      verifier = try makeVerifier(result.octets(0, of: present.request))
      return request(.attestation, .operationalCredentials, 0, [(0, .octets(drawNonce()))])
    case .attestation:
      try verify(result, of: present.request) { verifier, elements, signature, nonce throws(AttestationFailure) in
        _ = try verifier.verify(elements: elements, signature: signature, nonce: nonce)
      }
      return request(.signingRequest, .operationalCredentials, 4, [(0, .octets(drawNonce()))])
    case .signingRequest:
      publicKey = try verify(result, of: present.request) {
        verifier, elements, signature, nonce throws(AttestationFailure) in
        try verifier.verifyRequest(elements: elements, signature: signature, nonce: nonce)
      }
      return request(.root, .operationalCredentials, 11, [(0, .octets(fabric.authority.root.encoded))])
    case .root:
      guard case .status(.success)? = result.outcome else { throw result.refusal(of: present.request) }
      return request(.certificate, .operationalCredentials, 6, certificateFields)
    case .certificate:
      try result.requireSuccess(present.request)
      stage = .operational
      return .connect
    case .completion:
      try result.requireSuccess(present.request)
      return .finish
    case .operational, .end: throw ClientFailure("a result that nothing asked for")
    }
  }

  /// The fields of AddNOC.
  private var certificateFields: [(UInt8, Element.Value)] {
    let certificate = fabric.authority.issue(node: node, publicKey: publicKey, random: random)
    return [
      (0, .octets(certificate.encoded)), (1, .octets(fabric.authority.intermediate?.encoded ?? [])),
      (2, .octets(fabric.epochKey.withBytes { Array($0) })), (3, .number(fabric.credentials.node)),
      (4, .number(fabric.vendor)),
    ]
  }

  private func makeVerifier(_ device: [UInt8]) throws(ClientFailure) -> AttestationVerifier {
    do throws(AttestationFailure) {
      return try AttestationVerifier(
        authorities: authorities, device: device, intermediate: intermediate, vendor: vendor, product: product,
        challenge: challenge, time: time)
    } catch { throw ClientFailure("the attestation of the node: \(error.reason)") }
  }

  /// Verifies a response with elements and their signature.
  private func verify<Verified>(
    _ result: InteractionResult, of command: String,
    _ body: (AttestationVerifier, [UInt8], [UInt8], [UInt8]) throws(AttestationFailure) -> Verified
  ) throws(ClientFailure) -> Verified {
    guard let verifier else { preconditionFailure("the certificates come before the signatures") }
    let (elements, signature) = (try result.octets(0, of: command), try result.octets(1, of: command))
    do throws(AttestationFailure) { return try body(verifier, elements, signature, nonce) } catch {
      throw ClientFailure("the attestation of the node: \(error.reason)")
    }
  }

  private mutating func request(
    _ next: Stage, _ cluster: RootCluster, _ command: CommandNumber, _ fields: [(UInt8, Element.Value)]
  ) -> Step {
    stage = next
    return .request(.command(cluster, command, fields))
  }

  private mutating func drawNonce() -> [UInt8] {
    nonce = random.bytes(AttestationElements.nonceByteCount)
    return nonce
  }
}

/// The parts of results that a controller needs.
extension InteractionResult {
  /// The outcome of a command; nil: this is another result.
  package var outcome: CommandOutcome? {
    if case .invoked(let items) = self { items.first?.outcome } else { nil }
  }

  /// The value of an attribute; nil: it was not reported.
  package func value(_ path: AttributePath) -> Element.Value? {
    switch self {
    case .report(let report), .subscription(_, let report): report.values[path]
    case .written, .invoked, .failure: nil
    }
  }

  /// A member of a response.
  package func field(_ tag: UInt8) -> Element.Value? {
    guard case .response(_, let members)? = outcome else { return nil }
    return members.first { $0.tag == .context(tag) }?.value
  }

  fileprivate func number(_ path: AttributePath) throws(ClientFailure) -> UInt16 {
    if case .failure(let status) = self { throw ClientFailure("ReadRequest: status \(status.code)") }
    guard case .unsigned(let wide)? = value(path), let number = UInt16(exactly: wide) else {
      throw ClientFailure("the node does not report the attribute \(path.attribute) of cluster \(path.cluster)")
    }
    return number
  }

  fileprivate func octets(_ tag: UInt8, of command: String) throws(ClientFailure) -> [UInt8] {
    guard case .octets(let octets)? = field(tag) else { throw refusal(of: command) }
    return octets
  }

  /// The failure of a command that has not led to the expected response.
  fileprivate func refusal(of command: String) -> ClientFailure {
    switch (self, outcome) {
    case (_, .status(let status)?) where status.code == .success:
      ClientFailure("\(command): a status instead of the response")
    case (.failure(let status), _), (_, .status(let status)?): ClientFailure("\(command): status \(status.code)")
    default: ClientFailure("\(command): the response lacks a field")
    }
  }

  /// Requires a response whose first member, the status, is 0.
  fileprivate func requireSuccess(_ command: String) throws(ClientFailure) {
    guard case .unsigned(let code)? = field(0) else { throw refusal(of: command) }
    guard code == 0 else { throw ClientFailure("\(command): code \(code)") }
  }
}
