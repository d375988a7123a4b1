import HAPCrypto
import HAPWire
import MatterModel
import MatterWire

/// A Matter node: its fabrics, its commissioning, and its root endpoint. Other endpoints are those of `application`.
///
/// It has no clock: the caller calls `advance(to:)` with the time before each other call, and at `nextDeadline`. After
/// each call it takes the effects with `takeEffects()`. Nothing of a commissioning is stored until it is complete, so a
/// restart undoes what is not complete. Matter 1.4 §5.5, §9.10, §11.1, §11.2, §11.9...§11.12, §11.18, §11.19.
package struct MatterNode {
  package let configuration: NodeConfiguration
  /// The endpoints other than 0.
  package var application: any InteractionTarget
  /// The attestation challenge of the session of the next request. The caller sets it before the request, because
  /// commands for the attestation sign it.
  package var attestationChallenge: SecretBytes?
  package internal(set) var state: NodeState

  let random: RandomSource
  /// Of the names of commissioning windows.
  let instanceRandom: RandomSource
  private let start: Duration
  private(set) var now: Duration
  var failSafe: FailSafe? { didSet { failSafeDeadline = failSafe?.deadline } }
  var window: CommissioningWindow? { didSet { windowDeadline = window?.deadline } }
  // Apart, because `nextDeadline` is read for each datagram, and would copy the state before the fail-safe.
  private var failSafeDeadline: Duration?
  private var windowDeadline: Duration?
  var breadcrumb: UInt64 = 0
  var hasPasscodeSession = false
  private var versions: [ClusterID: UInt32] = [:]
  var effects: [NodeEffect] = []
  var needsStore = true

  /// Starts a node.
  ///
  /// - Parameters:
  ///   - stored: the bytes that `NodeEffect.store` had last; nil: the node is as it was made.
  ///   - time: now, since any epoch.
  /// - Throws: `NodeStorageError`.
  package init(
    _ configuration: NodeConfiguration, application: any InteractionTarget, stored: SecretBytes?, random: RandomSource,
    at time: Duration
  ) throws(NodeStorageError) {
    (self.configuration, self.application, self.random) = (configuration, application, random)
    (start, now) = (time, time)
    var state = NodeState()
    if let stored {
      state = try NodeState(stored: stored)
      if state.rebootCount < .max { state.rebootCount += 1 }
    }
    self.state = state
    instanceRandom = configuration.instanceSeed.map { RandomSource.seeded($0 &+ UInt64(state.rebootCount)) } ?? random
    for cluster in RootEndpoint.clusters {
      versions[cluster.id] = random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
    emit(NodeEvent(.basicInformation, 0, .critical, [(0, .number(configuration.softwareVersion))]))
    emit(NodeEvent(.generalDiagnostics, 3, .critical, [(0, .number(configuration.bootReason.rawValue))]))
    if state.fabrics.isEmpty { window = ownWindow(until: nil) }
    effects.append(.advertisementsChanged)
  }

  /// Notes that the node is about to stop.
  package mutating func shutDown() { emit(NodeEvent(.basicInformation, 1, .critical, [])) }

  /// Notes that `application` has other endpoints than before.
  package mutating func partsChanged() { mark(.descriptor, 3) }

  /// Has the number of the first event after a restart stored. The caller sends events with this number or larger ones
  /// only after that.
  package mutating func storeEventNumber(_ number: UInt64) { changeDurably { $0.eventNumber = number } }

  /// Returns the effects of the calls since the last one. `store`, if there is one, is the first.
  package mutating func takeEffects() -> [NodeEffect] {
    defer { (effects, needsStore) = ([], false) }
    return needsStore ? [.store(durableState.stored)] + effects : effects
  }

  /// The state without a commissioning that is not complete.
  var durableState: NodeState { failSafe?.before ?? state }

  /// The fabrics for CASE, with the one that is being added. Each call derives their keys.
  package var fabricCredentials: [FabricCredentials] { state.fabrics.map(\.credentials) }

  // MARK: Time

  /// The next time at which `advance(to:)` has something to do.
  @inline(__always) package var nextDeadline: Duration? { earlier(failSafeDeadline, windowDeadline) }

  /// Moves the time. A time before the present one has no effect.
  package mutating func advance(to time: Duration) {
    while let deadline = nextDeadline, deadline <= time {
      now = max(now, deadline)
      if let failSafe, failSafe.deadline <= now { expireFailSafe("the fail-safe has expired") }
      if let end = window?.deadline, end <= now { endWindow(.expired) }
    }
    now = max(now, time)
  }

  /// The time since the start.
  var upTime: Duration { now - start }

  // MARK: Changes

  /// Changes the state. A change by the owner of the fail-safe is undone when that expires; any other is durable.
  mutating func change(by subject: Subject, _ change: (inout NodeState) -> Void) {
    if failSafe?.fabric == subject.fabric {
      let old = state
      change(&state)
      noteChanges(from: old)
    } else {
      changeDurably(change)
    }
  }

  /// Changes the state, and the one that expiry of the fail-safe returns to.
  mutating func changeDurably(_ change: (inout NodeState) -> Void) {
    let (old, oldDurable) = (state, durableState)
    change(&state)
    if var armed = failSafe {
      change(&armed.before)
      failSafe = armed
    }
    if durableState != oldDurable { needsStore = true }
    noteChanges(from: old)
  }

  /// Marks the attributes and advertisements that a change of the state has changed.
  mutating func noteChanges(from old: NodeState) {
    guard old != state else { return }
    func differ<Value: Equatable>(_ values: (NodeState) -> [Value]) -> Bool { values(old) != values(state) }
    if differ({ $0.fabrics.map(\.access) }) { mark(.accessControl, 0) }
    if differ({ [$0.label] }) { mark(.basicInformation, 5) }
    if differ({ [$0.location] }) { mark(.basicInformation, 6) }
    if differ({ [$0.regulatoryConfig] }) { mark(.generalCommissioning, 2) }
    if differ({ $0.fabrics.map(\.groupKeyMap) }) { mark(.groupKeyManagement, 0) }
    if differ({ $0.fabrics.map(\.noc) }) { mark(.operationalCredentials, 0) }
    if differ({ $0.fabrics.map(\.node) }) || differ({ $0.fabrics.map(\.label) }) { mark(.operationalCredentials, 1) }
    if differ({ $0.fabrics.map(\.root) }) { mark(.operationalCredentials, 3, 4) }
    if differ({ $0.fabrics.map(\.compressedID) }) || differ({ $0.fabrics.map(\.node) }) {
      effects.append(.advertisementsChanged)
    }
  }

  /// Marks attributes of the root endpoint as changed.
  mutating func mark(_ cluster: RootCluster, _ attributes: AttributeNumber...) {
    versions[cluster.rawValue, default: 0] &+= 1
    for attribute in attributes { effects.append(.attributeChanged(AttributePath(0, cluster.rawValue, attribute))) }
  }

  mutating func emit(_ event: NodeEvent) { effects.append(.event(event)) }
}

// MARK: - InteractionTarget

extension MatterNode: InteractionTarget {
  package var endpoints: [EndpointNumber] { [0] + application.endpoints.filter { $0 != 0 } }

  package func clusters(of endpoint: EndpointNumber) -> [ClusterDescription] {
    endpoint == 0 ? RootEndpoint.clusters : application.clusters(of: endpoint)
  }

  package func deviceTypes(of endpoint: EndpointNumber) -> [UInt32] {
    endpoint == 0 ? [RootEndpoint.deviceType.number] : application.deviceTypes(of: endpoint)
  }

  package func dataVersion(of endpoint: EndpointNumber, _ cluster: ClusterID) -> UInt32 {
    endpoint == 0 ? versions[cluster] ?? 0 : application.dataVersion(of: endpoint, cluster)
  }

  package func accessEntries(of fabric: FabricIndex) -> [AccessEntry] { state[fabric]?.access ?? [] }

  package func read(
    _ path: AttributePath, for subject: Subject, isFabricFiltered: Bool, tag: ElementTag, into buffer: inout ByteBuffer
  ) throws(InteractionStatus) {
    guard path.endpoint == 0 else {
      return try application.read(
        path, for: subject, isFabricFiltered: isFabricFiltered, tag: tag, into: &buffer)
    }
    guard let cluster = RootCluster(rawValue: path.cluster) else { throw InteractionStatus(.unsupportedCluster) }
    guard let value = value(cluster, path.attribute, for: subject, isFabricFiltered: isFabricFiltered) else {
      throw InteractionStatus(.unsupportedAttribute)
    }
    Element(tag, value).encode(into: &buffer)
  }

  package mutating func write(
    _ path: AttributePath, _ change: AttributeChange, for subject: Subject
  ) throws(InteractionStatus) {
    guard path.endpoint == 0 else { return try application.write(path, change, for: subject) }
    switch (RootCluster(rawValue: path.cluster), path.attribute) {
    case (.accessControl, 0): try writeAccess(change, for: subject)
    case (.basicInformation, 5): try writeLabel(change, for: subject)
    case (.basicInformation, 6): try writeLocation(change, for: subject)
    case (.generalCommissioning, 0): setBreadcrumb(try FieldReader.number(try change.whole))
    case (.networkCommissioning, 4): try Self.writeInterfaceEnabled(change)
    case (.groupKeyManagement, 0): try writeGroupKeyMap(change, for: subject)
    default: throw InteractionStatus(.unsupportedWrite)
    }
  }

  package mutating func invoke(_ path: CommandPath, _ fields: Element, for subject: Subject) -> CommandOutcome {
    guard path.endpoint == 0 else { return application.invoke(path, fields, for: subject) }
    do {
      return try execute(path, FieldReader(command: fields), for: subject)
    } catch {
      return .status(error)
    }
  }

  private mutating func execute(
    _ path: CommandPath, _ fields: FieldReader, for subject: Subject
  ) throws(InteractionStatus) -> CommandOutcome {
    switch RootCluster(rawValue: path.cluster) {
    case .generalCommissioning: try invokeGeneralCommissioning(path.command, fields, for: subject)
    case .generalDiagnostics: try invokeGeneralDiagnostics(path.command, fields)
    case .administratorCommissioning: try invokeAdministratorCommissioning(path.command, fields, for: subject)
    case .operationalCredentials: try invokeOperationalCredentials(path.command, fields, for: subject)
    case .groupKeyManagement: try invokeGroupKeyManagement(path.command, fields, for: subject)
    default: throw InteractionStatus(.unsupportedCommand)
    }
  }
}

extension AttributeChange {
  /// The value of an attribute that is no list.
  var whole: Element.Value {
    get throws(InteractionStatus) {
      guard case .replace(let value) = self else { throw InteractionStatus(.invalidDataType) }
      return value
    }
  }
}

/// The earlier one of two times; nil: never.
package func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
  guard let one, let other else { return one ?? other }
  return min(one, other)
}
