import HAPCrypto
import HAPExpectation
import HAPLoop
import HAPModel
import HAPReport
import HAPSuite
import HAPTarget
import HAPWire

/// One run of a case, or of one of its variants: carries out the steps, and keeps what happens.
///
/// An actor on the loop's thread, as are the connections that it works with.
actor CaseRun {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let definition: CaseDefinition
  let device: TestedAccessory
  let world: CaseWorld
  let recorder: Recorder
  let random: RandomSource
  let maker: ByteMaker
  /// The suite's expectations, by name.
  let expectations: NamedExpectations

  var scope = Scope()
  var connections: [String: WireConnection] = [:]
  /// Those that a later one of the same name took the place of; closed with the others.
  var formerConnections: [WireConnection] = []
  var setups: [String: SetupProcedure] = [:]
  var verifies: [String: VerifyProcedure] = [:]
  var controllers: [String: TestController] = [:]
  /// Who M5 was sent as: the accessory may have taken them, whatever it answered.
  var exchanged: [TestController] = []
  /// Identifiers of the pairings that it asked the accessory to add.
  var added: [[UInt8]] = []
  /// What `until` kept back, by connection.
  var held: [String: [UInt8]] = [:]
  var marks: [String: Duration] = [:]
  /// Characteristics that were written, to be given their values back.
  var written: Set<AttributeID> = []
  /// Whether it may have changed pairings, or subscribed.
  var touchedPairings = false
  var deviations: [String] = []
  var notes: [String] = []
  /// The request that the next answer belongs to, by connection.
  var lastRequest: [String: String] = [:]
  var used = UsedProcedures()
  /// Names that the case holds against the accessory.
  var nameClaims: [NameClaim] = []
  /// The place of the last multicast question, and of marks, among the packets.
  var multicastMark: MDNSObserver.Mark?
  var multicastMarks: [String: MDNSObserver.Mark] = [:]
  /// What is done at the end, however that comes.
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

  /// Gives the variables that every case has, and those of a variant and of what was found.
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

  /// Carries out the steps.
  func run(_ steps: [Step]) async throws {
    for step in steps {
      if Task.isCancelled { throw CaseInterrupted() }
      do { try await perform(step) } catch let problem as StepProblem {
        throw StepError(step, problem)
      } catch var failure as CaseFailure {
        failure.step = failure.step ?? step
        // Busy has owners of its own, whatever else the step used.
        let isBusy = failure.pairingError == PairingError.busy.rawValue
        failure.procedures = failure.procedures ?? (isBusy ? [.busy] : procedures(of: step))
        throw failure
      }
    }
  }

  /// Goes through the steps that were put off to the end, each of them though one before it fails.
  /// - Returns: what went wrong.
  func finish() async -> String? {
    let steps = lastSteps
    lastSteps = []
    var problem: String?
    for step in steps {
      do { try await run([step]) } catch { problem = Self.text(of: error) }
    }
    return problem
  }

  /// What went wrong, in a line.
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

  /// Closes what is open and waits until the accessory knows.
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

  /// - Parameter name: `nil`: the tester's own.
  func controller(_ name: String?) throws(StepProblem) -> TestController {
    guard let name else { return controllers["admin"] ?? device.admin }
    guard let controller = controllers[name] else { throw StepProblem("there is no controller \"\(name)\" yet") }
    return controller
  }

  func milliseconds(_ duration: Duration) -> JSONNode { .number((duration / .milliseconds(1) * 100).rounded() / 100) }

  /// Deviations are said once, however often they are seen.
  func deviate(_ text: String) { if !deviations.contains(text) { deviations.append(text) } }
  func note(_ text: String) { if notes.count < 200, !notes.contains(text) { notes.append(text) } }

  // MARK: Connections

  /// The connection of a name, opened if it isn't.
  func connection(_ name: String) async throws -> WireConnection {
    if let connection = connections[name] { return connection }
    switch await WireConnection.connect(
      name, to: device.address, within: .seconds(10), recorder: recorder, on: loop)
    {
    case .connected(let connection):
      // Steps side by side may both have wanted it.
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
