import MatterController
import HAPAttributes
import HAPCrypto
import HAPModel
import HAPProfile
import MatterInteraction
import MatterBridge
import MatterModel
import MatterProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct BenchFailure: Error { let reason: String }

/// The seconds of CPU that this thread has used.
func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A node that serves a bridge of 60 lights, and a controller of it.
final class NodeBench {
  private let accessory: MappedAccessory
  private let server: NodeServer
  private let client: NodeClient
  private let frontEnd = SilentFrontEnd()
  private let authority: AttestationAuthority
  private var now = Duration.zero
  private var toServer: [[UInt8]] = []
  private var results: [InteractionResult] = []
  private var connections: [Bool] = []
  private var isCommissioned = false
  /// The seconds of CPU that the node has used.
  var cpu = 0.0

  init(_ access: PasscodeAccess) throws {
    let random = RandomSource.seeded(1)
    let attributes = AttributeServer(try Self.lights(), quirks: AttributeQuirks(), SilentDevice())
    let session = AttributeSession(controller: nil, connection: frontEnd, frontEnd: frontEnd)
    attributes.open(session)
    accessory = MappedAccessory(attributes, session, numbers: EndpointNumbers(), nodeID: "bench", vendor: 0xFFF1) {
      random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
    authority = AttestationAuthority(random: random)
    let credentials = DeviceCredentials(vendor: 0xFFF1, product: 0x8000, authority: authority, random: random)
    let declaration = CertificationDeclaration(vendor: 0xFFF1, products: [0x8000], deviceType: 0x000E)
    let configuration = NodeConfiguration(
      vendorName: "hapsim", productName: "Bridge", serialNumber: "1", uniqueID: "bench", deviceType: 0x000E,
      interface: NodeInterface(name: "eth0", hardwareAddress: [2, 0, 0, 0, 0, 1]), passcode: access,
      discriminator: 3840, credentials: credentials, declaration: declaration.signed(random: random))
    let node = try MatterNode(configuration, application: accessory, stored: nil, random: random, at: .zero)
    server = NodeServer(node, random: random, at: .zero)
    server.takeApplicationChanges = { [unowned accessory] in .init(attributes: accessory.takeChanges()) }
    client = NodeClient(ControllerFabric(1, node: 2, random: random), node: 3, random: random)
    client.commission(at: serverAddress, passcode: passcode, authorities: [authority.certificate], at: now)
    run()
    guard isCommissioned else { throw BenchFailure(reason: "the commissioning has failed") }
  }

  private static func lights() throws -> AttributeDatabase {
    let lights = (1...60).map { number in
      """
      { "name": "Lamp \(number)", "serialNumber": "L-\(number)", "services": [ { "type": "Lightbulb", "name": "Lamp" } ] }
      """
    }
    let text = """
      { "format": "hasaccessory/1", "name": "Bridge", "serialNumber": "B-1", "category": "bridge",
        "bridgedAccessories": [ \(lights.joined(separator: ", ")) ] }
      """
    let profile = try AccessoryProfile(json: Array(text.utf8), fileName: "bridge")
    var ids = IDMap()
    return try profile.build(ids: &ids, deviceID: DeviceID(bytes: [1, 2, 3, 4, 5, 6])!).database
  }

  // MARK: Operations

  /// Reads attributes once.
  func read(_ pattern: AttributePattern, expecting count: Int) throws {
    results = []
    _ = client.request(.read(pattern), at: now)
    run()
    guard case .report(let report)? = results.first, report.values.count == count else {
      throw BenchFailure(reason: "the read has another result")
    }
  }

  func connect(resuming isResuming: Bool) throws {
    if !isResuming { client.forgetResumption() }
    connections = []
    client.connect(to: serverAddress, at: now)
    run()
    guard connections == [isResuming] else { throw BenchFailure(reason: "there is no session of this kind") }
  }

  // MARK: The network

  /// Delivers datagrams until there are none.
  private func run() {
    takeClientActions()
    while !toServer.isEmpty {
      let datagrams = toServer
      toServer = []
      now += .milliseconds(1)
      let begin = threadTime()
      for datagram in datagrams { server.receive(datagram, from: clientAddress, at: now) }
      let answers = takeServerActions()
      cpu += threadTime() - begin
      for answer in answers { client.receive(answer, from: serverAddress, at: now) }
      takeClientActions()
    }
  }

  private func takeServerActions() -> [[UInt8]] {
    var answers: [[UInt8]] = []
    while let action = server.nextAction() {
      switch action {
      case .send(let datagram, _): answers.append(datagram)
      case .compute(let work): server.computed(work.perform(), at: now)
      case .store, .advertisementsChanged, .report: break
      }
    }
    return answers
  }

  private func takeClientActions() {
    while let action = client.nextAction() {
      switch action {
      case .send(let datagram, _): toServer.append(datagram)
      case .compute(let work): client.computed(work.perform(), at: now)
      case .findNode: client.connect(to: serverAddress, at: now)
      case .report(.commissioned): isCommissioned = true
      case .report(.connected(let isResumed)): connections.append(isResumed)
      case .report(.answered(_, let result)): results.append(result)
      case .report: break
      }
    }
  }
}

private final class SilentFrontEnd: AttributeFrontEnd {
  func isAdmin(_ session: AttributeSession) -> Bool { true }
  func sendEvents(of session: AttributeSession, at now: Duration) {}
  func finish(_ request: AnsweredRequest, of session: AttributeSession, at now: Duration) {}
  func reportRefusal(of id: AttributeID, _ status: HAPStatus, reason: String, in session: AttributeSession) {}
  func reportMissing(_ id: AttributeID, in session: AttributeSession) {}
}

private final class SilentDevice: AttributeActions {
  let makesReports = false
  private var ticket: UInt64 = 0

  func newTicket() -> Ticket {
    ticket += 1
    return Ticket(number: ticket)
  }
  func wrote(_ write: ServiceWrite) {}
  func read(_ ids: [AttributeID], ticket: Ticket) {}
  func append(_ report: AccessoryReport) {}
}

// MARK: - Parts of a node

/// The seconds of CPU of the responders of handshakes with a passcode.
func pase(_ count: Int, _ access: PasscodeAccess) throws -> Double {
  guard let derivation = PasscodeDerivation(iterations: access.iterations, salt: access.salt) else {
    throw BenchFailure(reason: "the parameters are not allowed")
  }
  var total = 0.0
  for number in 0..<count {
    let random = RandomSource.seeded(UInt64(number))
    var initiator = PASEInitiator(passcode: passcode, localSession: 1, random: random)
    var responder = PASEResponder(
      verifier: { access.verifier }, derivation: derivation, localSession: 2, random: random)
    var message = initiator.request
    while true {
      let begin = threadTime()
      let step = responder.receive(message)
      total += threadTime() - begin
      if case .establish = step { break }
      guard case .send(let answer) = step, case .send(let next) = initiator.receive(answer) else {
        throw BenchFailure(reason: "the handshake has failed")
      }
      message = next
    }
  }
  return total
}
