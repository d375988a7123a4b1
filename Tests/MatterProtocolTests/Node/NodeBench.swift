@testable import MatterController
import HAPCrypto
import HAPTestSupport
import HAPWire
import MatterModel
import MatterWire
import Testing

@testable import MatterProtocol

/// A certificate authority of one fabric, for TLV.
struct TestAuthority {
  let authority: CertificateAuthority
  private let random: RandomSource

  init(_ fabric: FabricID, seed: UInt64, hasIntermediate: Bool = true) {
    random = .seeded(seed)
    authority = CertificateAuthority(fabric: fabric, hasIntermediate: hasIntermediate, random: random)
  }

  var root: [UInt8] { authority.root.encoded }
  var icac: [UInt8]? { authority.intermediate?.encoded }

  /// A certificate of a node with a public key.
  /// - Parameters:
  ///   - fabric: nil: that of the authority.
  ///   - signer: nil: the authority.
  func noc(node: NodeID, publicKey: [UInt8], fabric: FabricID? = nil, signer: CurveKey? = nil) -> [UInt8] {
    var certificate = authority.issue(node: node, publicKey: publicKey, random: random)
    certificate.subject = DistinguishedName([
      .identifier(.node, node), .identifier(.fabric, fabric ?? authority.fabric),
    ])
    return certificate.signed(by: signer ?? authority.issuingKey, random: random).encoded
  }
}

/// The endpoints of an accessory, without anything in them.
struct TestApplication: InteractionTarget {
  var endpoints: [EndpointNumber] = [1, 2]

  func clusters(of endpoint: EndpointNumber) -> [ClusterDescription] {
    endpoints.contains(endpoint) ? [ClusterDescription(6, revision: 6, attributes: [.init(0)])] : []
  }
  func deviceTypes(of endpoint: EndpointNumber) -> [UInt32] { endpoint == 1 ? [0x0101] : [] }
  func dataVersion(of endpoint: EndpointNumber, _ cluster: ClusterID) -> UInt32 { 77 }
  func read(
    _ path: AttributePath, for subject: Subject, isFabricFiltered: Bool, tag: ElementTag, into buffer: inout ByteBuffer
  ) throws(InteractionStatus) { buffer.appendElement(tag, bool: true) }
  mutating func write(
    _ path: AttributePath, _ change: AttributeChange, for subject: Subject
  ) throws(InteractionStatus) { throw InteractionStatus(.unsupportedWrite) }
  mutating func invoke(_ path: CommandPath, _ fields: Element, for subject: Subject) -> CommandOutcome {
    .status(InteractionStatus(.busy))
  }
  func accessEntries(of fabric: FabricIndex) -> [AccessEntry] { [] }
}

/// A node with a commissioner: calls with values, and what has become of their effects.
struct NodeBench {
  static let challenge = SecretBytes([UInt8](repeating: 9, count: 16))
  static let passcode = PasscodeAccess(
    verifier: SPAKE2Plus.Secrets(
      passcode: 20_202_021, salt: [UInt8](repeating: 1, count: 16), iterations: 1000)!.verifier,
    iterations: 1000, salt: [UInt8](repeating: 1, count: 16))!
  static let credentials = DeviceCredentials(
    vendor: 0xFFF1, product: 0x8000, authority: AttestationAuthority(random: .seeded(1)), random: .seeded(2))
  static let configuration = NodeConfiguration(
    vendorName: "hapsim", productName: "Lamp", serialNumber: "0123", uniqueID: "f0e1d2c3", deviceType: 0x0101,
    interface: NodeInterface(
      name: "eth0", hardwareAddress: [2, 0, 0, 0, 0, 1], ipv4Addresses: [[10, 0, 0, 1]],
      ipv6Addresses: [[0xFE, 0x80] + [UInt8](repeating: 0, count: 14)]),
    passcode: passcode, discriminator: 3840, credentials: credentials,
    declaration: CertificationDeclaration(vendor: 0xFFF1, products: [0x8000], deviceType: 0x0101)
      .signed(random: .seeded(3)))
  static let commissioner = Subject.passcode(fabric: 0)

  var node: MatterNode
  /// The stored bytes.
  var stored: SecretBytes?
  var effects: [NodeEffect] = []

  init(seed: UInt64 = 1, stored: SecretBytes? = nil, at time: Duration = .seconds(1000)) throws {
    node = try MatterNode(
      Self.configuration, application: TestApplication(), stored: stored, random: .seeded(seed), at: time)
    node.attestationChallenge = Self.challenge
    self.stored = stored
    take()
  }

  /// Performs the effects: remembers the stored bytes, and the others.
  mutating func take() {
    effects = node.takeEffects()
    for (place, effect) in effects.enumerated() {
      guard case .store(let bytes) = effect else { continue }
      #expect(place == 0, "storing comes before everything else")
      stored = bytes
    }
  }

  mutating func advance(by duration: Duration) {
    node.advance(to: node.now + duration)
    take()
  }

  @discardableResult
  mutating func invoke(
    _ cluster: RootCluster, _ command: CommandNumber, _ fields: [(UInt8, Element.Value)] = [], by subject: Subject
  ) -> CommandOutcome {
    let outcome = node.invoke(
      CommandPath(0, cluster.rawValue, command), Element(.anonymous, .fields(fields)), for: subject)
    take()
    return outcome
  }

  mutating func write(
    _ cluster: RootCluster, _ attribute: AttributeNumber, _ change: AttributeChange, by subject: Subject
  ) -> InteractionStatus {
    defer { take() }
    do {
      try node.write(AttributePath(0, cluster.rawValue, attribute), change, for: subject)
      return .success
    } catch { return error }
  }

  func read(
    _ cluster: RootCluster, _ attribute: AttributeNumber, by subject: Subject = commissioner, isFiltered: Bool = false
  ) throws -> Element.Value {
    var buffer = ByteBuffer()
    try node.read(
      AttributePath(0, cluster.rawValue, attribute), for: subject, isFabricFiltered: isFiltered, tag: .context(2),
      into: &buffer)
    let element = try Element(decoding: buffer.bytes)
    #expect(element.tag == .context(2))
    return element.value
  }

  /// A node after a loss of power, with the bytes that were stored.
  func restarted() throws -> NodeBench { try NodeBench(seed: 99, stored: stored, at: node.now) }
}

// MARK: - Steps of a commissioning

extension NodeBench {
  static func administrator(_ fabric: FabricIndex) -> Subject { .node(NodeID(fabric) << 8, fabric: fabric, tags: []) }

  /// Establishes a passcode session.
  mutating func establish() {
    defer { take() }
    guard let access = node.passcodeAccess else {
      Issue.record("no window is open")
      return
    }
    let isAccepted = node.passcodeSessionEstablished(with: access)
    #expect(isAccepted)
  }

  @discardableResult
  mutating func arm(_ seconds: UInt64 = 60, breadcrumb: UInt64 = 3, by subject: Subject = commissioner) -> UInt64? {
    invoke(.generalCommissioning, 0, [(0, .unsigned(seconds)), (1, .unsigned(breadcrumb))], by: subject).first
  }

  /// Returns the public key of the request.
  mutating func requestKey(by subject: Subject = commissioner, isForUpdate: Bool = false) throws -> [UInt8] {
    let nonce = Element.Value.octets([UInt8](repeating: 5, count: 32))
    invoke(.operationalCredentials, 4, [(0, nonce)] + (isForUpdate ? [(1, .bool(true))] : []), by: subject)
    return try #require(node.failSafe?.key?.publicKey)
  }

  @discardableResult
  mutating func addRoot(_ authority: TestAuthority, by subject: Subject = commissioner) -> CommandOutcome {
    invoke(.operationalCredentials, 11, [(0, .octets(authority.root))], by: subject)
  }

  static func nocFields(
    _ noc: [UInt8], _ authority: TestAuthority, administrator: NodeID = 0x100, vendor: UInt64 = 0xFFF1
  ) -> [(UInt8, Element.Value)] {
    [
      (0, .octets(noc)), (1, .octets(authority.icac ?? [])), (2, .octets([UInt8](repeating: 7, count: 16))),
      (3, .unsigned(administrator)),
      (4, .unsigned(vendor)),
    ]
  }

  /// The steps from the passcode session to AddNOC.
  @discardableResult
  mutating func addFabric(_ authority: TestAuthority, node number: NodeID = 5) throws -> FabricIndex {
    establish()
    arm()
    let key = try requestKey()
    addRoot(authority)
    let next = try #require(node.state.freeIndex)
    let fields = Self.nocFields(
      authority.noc(node: number, publicKey: key), authority, administrator: NodeID(next) << 8)
    let outcome = invoke(.operationalCredentials, 6, fields, by: Self.commissioner)
    #expect(outcome == CredentialStatus.ok.response(next))
    return next
  }

  @discardableResult
  mutating func complete(_ fabric: FabricIndex) -> UInt64? {
    invoke(.generalCommissioning, 4, by: Self.administrator(fabric)).first
  }

  /// A whole commissioning. The first one uses the window that is open from the start.
  @discardableResult
  mutating func commission(_ authority: TestAuthority, node number: NodeID = 5) throws -> FabricIndex {
    if let first = node.state.fabrics.first { openBasicWindow(by: Self.administrator(first.index)) }
    let fabric = try addFabric(authority, node: number)
    #expect(complete(fabric) == 0)
    return fabric
  }

  @discardableResult
  mutating func openBasicWindow(_ seconds: UInt64 = 180, by subject: Subject) -> CommandOutcome {
    invoke(.administratorCommissioning, 1, [(0, .unsigned(seconds))], by: subject)
  }

  /// Opens a window as the user does.
  /// - Returns: why it is refused.
  mutating func openWindow(
    with secret: NodeWindow.Secret? = nil, for duration: Duration?
  ) -> NodeWindow.Refusal? {
    defer { take() }
    do throws(NodeWindow.Refusal) {
      try node.openWindow(with: secret, for: duration)
      return nil
    } catch { return error }
  }

  /// Closes the window as the user does.
  /// - Returns: why it is refused.
  mutating func closeWindow() -> NodeWindow.Refusal? {
    defer { take() }
    do throws(NodeWindow.Refusal) {
      try node.closeWindow()
      return nil
    } catch { return error }
  }

  /// The reports of the last call.
  var reports: [NodeReport] {
    effects.compactMap { if case .report(let report) = $0 { report } else { nil } }
  }

  @discardableResult
  mutating func remove(_ fabric: FabricIndex, by subject: Subject) -> CommandOutcome {
    invoke(.operationalCredentials, 10, [(0, .number(fabric))], by: subject)
  }
}

extension CommandOutcome {
  /// The number in the field 0 of a response.
  var first: UInt64? {
    guard case .response(_, let members) = self, case .unsigned(let number)? = members.first?.value else { return nil }
    return number
  }

  var status: InteractionStatus? { if case .status(let status) = self { status } else { nil } }
}

extension Element.Value {
  /// The members of an array.
  var items: [Element.Value] {
    if case .container(.array, let items) = self { items.map(\.value) } else { [] }
  }

  func field(_ number: UInt8) -> Element.Value? { Element(.anonymous, self)[number] }
}
