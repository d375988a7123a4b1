import HAPCrypto
import MatterModel
import MatterWire

/// The result of a command that changes fabrics. Matter 1.4 §11.18.4.7.
enum CredentialStatus: UInt8, Sendable {
  case ok = 0
  case invalidPublicKey = 1
  case invalidNodeID = 2
  case invalidNOC = 3
  case missingCSR = 4
  case tableFull = 5
  case invalidAdminSubject = 6
  case fabricConflict = 9
  case labelConflict = 10
  case invalidFabricIndex = 11

  init(_ failure: CertificateChainFailure) {
    self =
      switch failure.kind {
      case .publicKey: .invalidPublicKey
      case .nodeIdentifier: .invalidNodeID
      case .certificate: .invalidNOC
      }
  }

  /// The response with this status.
  /// - Parameter fabric: left out if the command failed.
  func response(_ fabric: FabricIndex? = nil) -> CommandOutcome {
    let index = fabric.map { [Element(.context(1), .number($0))] } ?? []
    return .response(8, [Element(.context(0), .number(rawValue))] + index)
  }
}

/// The cluster OperationalCredentials. Matter 1.4 §11.18.
extension MatterNode {
  func operationalCredentialsValue(
    _ attribute: AttributeNumber, for subject: Subject, isFabricFiltered: Bool
  ) -> Element.Value? {
    let fabrics = fabrics(for: subject, isFabricFiltered: isFabricFiltered)
    return switch attribute {
    case 0: .items(fabrics.map { .fields($0.credentialMembers(for: subject) + [(FabricIndex.tag, .number($0.index))]) })
    case 1: .items(fabrics.map(\.descriptor))
    case 2: .unsigned(UInt64(NodeState.mostFabrics))
    case 3: .unsigned(UInt64(state.fabrics.count))
    case 4: .items(trustedRoots.map { .octets($0) })
    case 5: .number(subject.fabric)
    default: nil
    }
  }

  /// A root that was added for AddNOC counts, too.
  private var trustedRoots: [[UInt8]] {
    let roots = state.fabrics.map(\.root)
    guard let pending = failSafe?.root?.encoded, !roots.contains(pending) else { return roots }
    return roots + [pending]
  }

  mutating func invokeOperationalCredentials(
    _ command: CommandNumber, _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommandOutcome {
    switch command {
    case 0: return try attest(fields)
    case 2: return try certificateChain(fields)
    case 4: return try requestKey(fields, for: subject)
    case 6: return try addNOC(fields, for: subject)
    case 7: return try updateNOC(fields, for: subject)
    case 9: return try updateLabel(fields, for: subject)
    case 10: return try removeFabric(fields)
    case 11:
      try addRoot(fields, for: subject)
      return .status(.success)
    default: throw InteractionStatus(.unsupportedCommand)
    }
  }

  // MARK: Attestation

  private func attest(_ fields: FieldReader) throws(InteractionStatus) -> CommandOutcome {
    let nonce = try Self.nonce(fields)
    // A device whose clock was never set reports 0.
    let elements = AttestationElements.attestation(declaration: configuration.declaration, nonce: nonce, seconds: 0)
    return signed(1, elements)
  }

  private func certificateChain(_ fields: FieldReader) throws(InteractionStatus) -> CommandOutcome {
    let kind: UInt8 = try fields.number(0, in: 1...2, violation: .invalidCommand)
    let credentials = configuration.credentials
    let certificate = kind == 1 ? credentials.device : credentials.intermediate
    return .response(3, [Element(.context(0), .octets(certificate.encoded))])
  }

  private static func nonce(_ fields: FieldReader) throws(InteractionStatus) -> [UInt8] {
    let count = AttestationElements.nonceByteCount
    return try fields.octets(0, count: count...count, violation: .invalidCommand)
  }

  private mutating func requestKey(
    _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommandOutcome {
    let nonce = try Self.nonce(fields)
    let isForUpdate = try fields.flag(1)
    if isForUpdate {
      guard case .node = subject else { throw InteractionStatus(.invalidCommand) }
    }
    var armed = try unusedFailSafe(subject)
    let key = CurveKey(random: random)
    (armed.key, armed.isKeyForUpdate) = (key, isForUpdate)
    failSafe = armed
    let request = SigningRequest.make(key, random: random)
    return signed(5, AttestationElements.signingRequest(request, nonce: nonce))
  }

  /// The response with elements that are signed together with the challenge of the session.
  private func signed(_ response: CommandNumber, _ elements: [UInt8]) -> CommandOutcome {
    guard let attestationChallenge else { return .status(InteractionStatus(.failure)) }
    let signature = configuration.credentials.sign(elements, challenge: attestationChallenge, random: random)
    return .response(response, [Element(.context(0), .octets(elements)), Element(.context(1), .octets(signature))])
  }

  /// The subject's fail-safe, in which no fabric was added or updated yet.
  private func unusedFailSafe(_ subject: Subject) throws(InteractionStatus) -> FailSafe {
    let failSafe = try ownFailSafe(subject)
    guard failSafe.change == .none else { throw InteractionStatus(.constraintError) }
    return failSafe
  }

  // MARK: Fabrics

  private mutating func addRoot(_ fields: FieldReader, for subject: Subject) throws(InteractionStatus) {
    let root = try fields.octets(0, count: Fabric.certificateByteCount, violation: .invalidCommand)
    var armed = try unusedFailSafe(subject)
    guard armed.root == nil else { throw InteractionStatus(.constraintError) }
    guard let certificate = try? CertificateChain.verifyRoot(root) else { throw InteractionStatus(.invalidCommand) }
    armed.root = FailSafe.Root(encoded: root, certificate: certificate)
    failSafe = armed
    mark(.operationalCredentials, 4)
  }

  private mutating func addNOC(
    _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommandOutcome {
    let (noc, icac) = try Self.certificates(fields)
    let count = FabricDerivation.epochKeyByteCount
    let epochKey = try fields.octets(2, count: count...count, violation: .invalidCommand)
    let administrator: UInt64 = try fields.number(3)
    let vendor: UInt16 = try fields.number(4, in: 1...0xFFF4, violation: .invalidCommand)
    var armed = try unusedFailSafe(subject)
    guard let key = armed.key else { return CredentialStatus.missingCSR.response() }
    guard !armed.isKeyForUpdate else { throw InteractionStatus(.constraintError) }
    guard let root = armed.root else { return CredentialStatus.invalidNOC.response() }
    guard NodeSubject.isOperational(administrator) || NodeSubject.isTag(administrator) else {
      return CredentialStatus.invalidAdminSubject.response()
    }
    let chain: CertificateChain
    do { chain = try Self.verify(noc, icac, root.certificate, key) } catch {
      return CredentialStatus(error).response()
    }
    guard let index = state.freeIndex else { return CredentialStatus.tableFull.response() }
    let access = [AccessEntry(.administer, subjects: [administrator])]
    let fabric = Fabric(
      index: index, chain: chain, root: root.encoded, noc: noc, icac: icac, key: key,
      epochKeys: [.init(key: SecretBytes(epochKey), start: 0)], vendor: vendor, access: access)
    guard !state.fabrics.contains(where: { $0.isSameFabric(as: fabric) }) else {
      return CredentialStatus.fabricConflict.response()
    }
    change(by: subject) { $0.insert(fabric) }
    (armed.change, armed.fabric) = (.added, index)
    failSafe = armed
    noteAccessChanges(of: index, from: [], to: access, by: subject)
    if case .passcode = subject { effects.append(.moveSession(to: index)) }
    return CredentialStatus.ok.response(index)
  }

  private mutating func updateNOC(
    _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommandOutcome {
    let (noc, icac) = try Self.certificates(fields)
    var armed = try unusedFailSafe(subject)
    guard let key = armed.key else { return CredentialStatus.missingCSR.response() }
    guard armed.isKeyForUpdate else { throw InteractionStatus(.constraintError) }
    guard var fabric = state[subject.fabric] else { return CredentialStatus.invalidFabricIndex.response() }
    let chain: CertificateChain
    do { chain = try Self.verify(noc, icac, fabric.rootCertificate, key) } catch {
      return CredentialStatus(error).response()
    }
    guard chain.fabric == fabric.id else { return CredentialStatus.invalidNOC.response() }
    fabric.update(chain: chain, noc: noc, icac: icac, key: key)
    change(by: subject) { $0.change(fabric.index) { $0 = fabric } }
    armed.change = .updated
    failSafe = armed
    effects.append(.endSessions(of: fabric.index))
    return CredentialStatus.ok.response(fabric.index)
  }

  private static func certificates(
    _ fields: FieldReader
  ) throws(InteractionStatus) -> (noc: [UInt8], icac: [UInt8]?) {
    let noc = try fields.octets(0, count: Fabric.certificateByteCount, violation: .invalidCommand)
    let icac = try fields.optionalOctets(
      1, count: 0...Fabric.certificateByteCount.upperBound, violation: .invalidCommand)
    return (noc, icac?.isEmpty == true ? nil : icac)
  }

  private static func verify(
    _ noc: [UInt8], _ icac: [UInt8]?, _ root: MatterCertificate, _ key: CurveKey
  ) throws(CertificateChainFailure) -> CertificateChain {
    try CertificateChain.verify(noc: noc, icac: icac, root: root, publicKey: key.publicKey)
  }

  private mutating func updateLabel(
    _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommandOutcome {
    let label = try fields.text(0, byteCount: 0...Fabric.mostLabelBytes)
    guard let fabric = state[subject.fabric] else { return CredentialStatus.invalidFabricIndex.response() }
    let others = state.fabrics.filter { $0.index != fabric.index }
    guard label.isEmpty || !others.contains(where: { $0.label == label }) else {
      return CredentialStatus.labelConflict.response()
    }
    change(by: subject) { $0.change(fabric.index) { $0.label = label } }
    return CredentialStatus.ok.response(fabric.index)
  }

  private mutating func removeFabric(_ fields: FieldReader) throws(InteractionStatus) -> CommandOutcome {
    let index: FabricIndex = try fields.number(0, in: Fabric.indices, violation: .invalidCommand)
    guard removeFabric(index) else { return CredentialStatus.invalidFabricIndex.response() }
    return CredentialStatus.ok.response(index)
  }

  /// Removes a fabric, with all that it has at the node.
  /// - Returns: false if no fabric has this index.
  package mutating func removeFabric(_ index: FabricIndex) -> Bool {
    guard state[index] != nil else { return false }
    if durableState[index] != nil { effects.append(.report(.fabricRemoved(index))) }
    changeDurably { $0.remove(index) }
    emit(NodeEvent(.basicInformation, 2, .info, [(0, .number(index))]))
    if failSafe?.fabric == index { expireFailSafe("its fabric was removed") }
    let end = NodeEffect.endSessions(of: index)
    if !effects.contains(end) { effects.append(end) }
    if window?.opener?.fabric == index {
      window?.opener?.fabric = nil
      mark(.administratorCommissioning, 1)
    }
    if state.fabrics.isEmpty && window == nil { open(ownWindow(until: nil)) }
    return true
  }
}

extension Fabric {
  /// A fabric is known by its identifier and its root key.
  fileprivate func isSameFabric(as other: Fabric) -> Bool {
    id == other.id && rootCertificate.publicKey == other.rootCertificate.publicKey
  }

  /// Other fabrics can't see them.
  fileprivate func credentialMembers(for subject: Subject) -> [(UInt8, Element.Value)] {
    guard subject.fabric == index else { return [] }
    return [(1, .octets(noc)), (2, icac.map { .octets($0) } ?? .null)]
  }

  fileprivate var descriptor: Element.Value {
    .fields([
      (1, .octets(rootCertificate.publicKey)), (2, .number(vendor)), (3, .number(id)), (4, .number(node)),
      (5, .text(label)),
      (FabricIndex.tag, .number(index)),
    ])
  }
}
