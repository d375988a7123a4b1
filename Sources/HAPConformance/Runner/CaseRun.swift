import HAPCrypto
import HAPExpectation
import HAPLoop
import HAPModel
import HAPReport
import HAPSuite
import HAPTarget
import HAPWire

/// One run of a case or of one of its variants: performs the steps and keeps their state.
///
/// An actor on the loop's thread, like the connections that it uses.
actor CaseRun {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let definition: CaseDefinition
  let device: TestedAccessory
  let world: CaseWorld
  let recorder: Recorder
  let random: RandomSource
  let maker: ByteMaker
  /// The suite's named expectations.
  let expectations: NamedExpectations

  var scope = Scope()
  var connections: [String: WireConnection] = [:]
  /// Connections that were replaced by a later one of the same name; closed with the others.
  var formerConnections: [WireConnection] = []
  var setups: [String: SetupProcedure] = [:]
  var verifies: [String: VerifyProcedure] = [:]
  var controllers: [String: TestController] = [:]
  /// Controllers for which M5 was sent. The accessory may have paired with them, whatever it answered.
  var exchanged: [TestController] = []
  /// Identifiers of pairings that the case asked the accessory to add.
  var added: [[UInt8]] = []
  /// Bytes that `until` held back, by connection.
  var held: [String: [UInt8]] = [:]
  var marks: [String: Duration] = [:]
  /// Characteristics that were written, and whose values are restored.
  var written: Set<AttributeID> = []
  /// Whether the case may have changed pairings or subscribed.
  var touchedPairings = false
  var deviations: [String] = []
  var notes: [String] = []
  /// For each connection, the request that the next answer belongs to.
  var lastRequest: [String: String] = [:]
  var used = UsedProcedures()
  /// mDNS names that the case claims in conflict with the accessory.
  var nameClaims: [NameClaim] = []
  /// The position of the last multicast query, and of marks, in the packet log.
  var multicastMark: MDNSObserver.Mark?
  var multicastMarks: [String: MDNSObserver.Mark] = [:]
  /// Steps that run at the end, also after a failure.
  var lastSteps: [Step] = []
  var sleepers: [UInt64: Sleeper] = [:]
  var lastSleeper: UInt64 = 0

  init(
    _ definition: CaseDefinition, on device: TestedAccessory, world: CaseWorld, recorder: Recorder,
    expectations: NamedExpectations, random: RandomSource
  ) {
    loop = device.loop
    self.definition = definition
    self.device = device
    self.world = world
    self.recorder = recorder
    self.random = random
    maker = ByteMaker(random: random)
    self.expectations = expectations
    controllers["admin"] = device.owner ?? device.admin
  }

  /// Sets the variables that every case has, those of the variant, and those of the subjects found.
  func prepare(variant: CaseVariant?, found: [(name: String, value: JSONNode)]) async throws {
    await findAgain(within: definition.needs.multicast ? .seconds(5) : .zero)
    scope["device"] = device.variable
    scope["code"] = .text(device.code ?? "")
    scope["txt"] = device.txtVariable ?? .object([])
    scope["claims"] = device.claims ?? .object([])
    scope["instance"] = .text(device.instanceName ?? "")
    scope["variant"] = .text(variant?.name ?? "")
    scope["hooks"] = .object(
      HookName.allCases.map { ($0.rawValue, JSONNode(.bool(world.hooks.isAvailable($0)))) })
    scope["elapsed"] = .object([])
    used.save(["txt", "device", "instance"], from: [.discovery])
    scope["multicast"] = JSONNode(.bool(world.observer != nil && device.instanceName != nil))
    scope["admin"] = controllerVariable(device.owner ?? device.admin)
    if let database = device.database { scope["database"] = database.node }
    for (name, value) in found { scope[name] = value }
    for member in variant?.values ?? [] { scope[member.name] = try member.value.value(in: scope) }
  }

  /// Performs the steps.
  func run(_ steps: [Step]) async throws {
    for step in steps {
      if Task.isCancelled { throw CaseInterrupted() }
      do { try await perform(step) } catch let problem as StepProblem {
        throw StepError(step, problem)
      } catch var failure as CaseFailure {
        failure.step = failure.step ?? step
        // Only cases that own the procedure `busy` judge the error Busy, so no other procedure of the step is the
        // cause.
        let isBusy = failure.pairingError == PairingError.busy.rawValue
        failure.procedures = failure.procedures ?? (isBusy ? [.busy] : procedures(of: step))
        throw failure
      }
    }
  }

  /// Performs the steps deferred to the end. Each runs even if an earlier one fails.
  /// - Returns: the last error as text.
  func finish() async -> String? {
    let steps = lastSteps
    lastSteps = []
    var problem: String?
    for step in steps {
      do { try await run([step]) } catch { problem = Self.text(of: error) }
    }
    return problem
  }

  /// Returns an error as one line.
  static func text(of error: any Error) -> String {
    switch error {
    case let failure as CaseFailure: failure.message
    case let error as StepError: "\(error.place): \(error.message)"
    case let problem as StepProblem: problem.message
    case let skip as CaseSkip: skip.reason
    case is CaseInterrupted: "it was cancelled"
    default: "\(error)"
    }
  }

  /// Closes all connections, and waits until the accessory has noticed.
  func close() async {
    let open = connections.sorted { $0.key < $1.key }.map(\.value) + formerConnections
    connections = [:]
    formerConnections = []
    await withTaskGroup { group in
      for connection in open {
        group.addTask { await self.settle(connection) }
      }
    }
  }

  private func settle(_ connection: WireConnection) async { await connection.settle(within: .milliseconds(700)) }

  // MARK: Variables

  func controllerVariable(_ controller: TestController) -> JSONNode {
    .object([
      ("name", .text(controller.name)),
      ("id", .text(String(decoding: controller.credentials.identifier, as: UTF8.self))),
      ("id-bytes", .text(Hexadecimal.text(controller.credentials.identifier))),
      ("ltpk", .text(Hexadecimal.text(controller.credentials.key.publicKey))),
    ])
  }

  /// - Parameter name: nil: the tester's own controller.
  func controller(_ name: String?) throws(StepProblem) -> TestController {
    guard let name else { return controllers["admin"] ?? device.admin }
    guard let controller = controllers[name] else { throw StepProblem("there is no controller \"\(name)\" yet") }
    return controller
  }

  func milliseconds(_ duration: Duration) -> JSONNode { .number((duration / .milliseconds(1) * 100).rounded() / 100) }

  /// Notes a deviation. Each text is noted once.
  func deviate(_ text: String) { if !deviations.contains(text) { deviations.append(text) } }
  func note(_ text: String) { if notes.count < 200, !notes.contains(text) { notes.append(text) } }

  // MARK: Connections

  /// Returns the connection with a name, opening it if needed.
  func connection(_ name: String) async throws -> WireConnection {
    if let connection = connections[name] { return connection }
    switch await WireConnection.connect(
      name, to: device.address, within: .seconds(10), recorder: recorder, on: loop)
    {
    case .connected(let connection):
      // Parallel steps may have opened the same connection.
      if let first = connections[name] {
        formerConnections.append(connection)
        return first
      }
      connections[name] = connection
      used.open(name)
      return connection
    case .refused(let error):
      throw CaseFailure("no connection: \(error)", sent: "a TCP connection to \(device.address)", got: "\(error)")
    case .silent:
      throw CaseFailure(
        "no connection within 10 s", sent: "a TCP connection to \(device.address)", got: "no answer within 10 s",
        isSilence: true)
    }
  }

  func existing(_ name: String) throws(StepProblem) -> WireConnection {
    guard let connection = connections[name] else { throw StepProblem("there is no connection \"\(name)\" yet") }
    return connection
  }
}
