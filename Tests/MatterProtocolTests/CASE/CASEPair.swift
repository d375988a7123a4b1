import HAPCrypto
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

/// A fabric with two nodes.
struct TestFabric {
  let authority: CertificateAuthority
  let epochKeys: [SecretBytes]
  let index: FabricIndex

  init(
    _ fabric: FabricID = 0x2906_C908_D115_D362, index: FabricIndex = 1, hasIntermediate: Bool = true,
    epochKeys: Int = 1, seed: UInt64 = 1
  ) {
    let random = RandomSource.seeded(seed)
    authority = CertificateAuthority(fabric: fabric, hasIntermediate: hasIntermediate, random: random)
    self.epochKeys = (0..<epochKeys).map { _ in random.secret(16) }
    self.index = index
  }

  /// The credentials of a node.
  /// - Parameters:
  ///   - epochKeys: the indices of its epoch keys.
  ///   - noc: changes the certificate, which is signed again; and `icac` the intermediate one.
  func credentials(
    _ node: NodeID, tags: [UInt32] = [], epochKeys: Range<Int>? = nil, index: FabricIndex? = nil,
    noc: ((inout MatterCertificate) -> Void)? = nil, icac: ((inout MatterCertificate) -> Void)? = nil
  ) -> FabricCredentials {
    let random = RandomSource.seeded(node)
    let key = CurveKey(random: random)
    var certificate = authority.issue(node: node, tags: tags, publicKey: key.publicKey, random: random)
    noc?(&certificate)
    var intermediate = authority.intermediate
    if var changed = intermediate, let icac {
      icac(&changed)
      certificate.issuer = changed.subject
      intermediate = changed.signed(by: authority.rootKey, random: random)
    }
    return FabricCredentials(
      index: index ?? self.index, root: authority.root,
      noc: certificate.signed(by: authority.issuingKey, random: random).encoded, icac: intermediate?.encoded,
      key: key, epochKeys: Array(self.epochKeys[epochKeys ?? 0..<self.epochKeys.count]), fabric: authority.fabric,
      node: node)
  }
}

/// Both ends of CASE, and the messages between them.
///
/// The responder receives message `n` if `n` is even, and the initiator if it is odd.
struct CASEPair {
  private(set) var initiator: CASEInitiator
  private(set) var responder: CASEResponder
  private(set) var messages: [HandshakeMessage]

  /// - Parameters:
  ///   - fabrics: of the responder.
  ///   - steps: the number of messages that have been received.
  init(
    _ own: FabricCredentials, to peer: NodeID, fabrics: [FabricCredentials], resumable: ResumableSession? = nil,
    known: [ResumableSession] = [], steps: Int = 0, seed: UInt64 = 1
  ) throws {
    var parameters = SessionParameters()
    parameters.idleInterval = .milliseconds(900)
    initiator = CASEInitiator(
      fabric: own, peer: peer, resumable: resumable, localSession: 11, parameters: parameters,
      random: .seeded(2 * seed))
    parameters.idleInterval = .milliseconds(800)
    responder = CASEResponder(
      fabrics: fabrics, resumptions: Dictionary(uniqueKeysWithValues: known.map { ($0.resumption.id, $0) }),
      localSession: 22, parameters: parameters, random: .seeded(2 * seed + 1))
    messages = [initiator.request]
    for _ in 0..<steps { messages.append(try #require(Self.sent(next()))) }
  }

  static func sent(_ step: HandshakeStep) -> HandshakeMessage? {
    switch step {
    case .send(let message): message
    case .establish(_, let message), .fail(_, let message): message
    }
  }

  /// Returns the answer to a message instead of the last one. The ends stay as they are.
  func receive(_ message: HandshakeMessage) -> HandshakeStep {
    var end: any Handshake = messages.count.isMultiple(of: 2) ? initiator : responder
    return end.receive(message)
  }

  private mutating func next() -> HandshakeStep {
    let message = messages[messages.count - 1]
    return messages.count.isMultiple(of: 2) ? initiator.receive(message) : responder.receive(message)
  }

  /// Delivers messages until both ends have finished.
  mutating func run() -> (
    initiator: EstablishedSession?, responder: EstablishedSession?, failures: [String], opcodes: [SecureChannelOpcode]
  ) {
    var (ofInitiator, ofResponder) = (nil as EstablishedSession?, nil as EstablishedSession?)
    var failures: [String] = []
    while true {
      let isInitiator = messages.count.isMultiple(of: 2)
      let step = next()
      switch step {
      case .send: break
      case .establish(let session, _): if isInitiator { ofInitiator = session } else { ofResponder = session }
      case .fail(let failure, _): failures.append(failure.reason)
      }
      guard let sent = Self.sent(step) else {
        return (ofInitiator, ofResponder, failures, messages.map(\.opcode))
      }
      messages.append(sent)
    }
  }
}
