import HAPAttributes
import HAPModel
import HAPWire
import MatterModel
import MatterWire

/// The endpoints of a HAP accessory as parts of a Matter node: all except the root.
///
/// Values stay in the attribute server: an attribute is computed of characteristics when it is read, and a write or a
/// command becomes a write of the session, with all its rules. The front end owns the session. It calls `subscribe`
/// once, passes the slots of the session's events to `mark`, and takes the changes that requests made with
/// `takeChanges`. Confined to one loop.
package final class MappedAccessory: InteractionTarget {
  let server: AttributeServer
  let session: AttributeSession
  /// Identifies the node; at most 32 bytes. Bridged accessories are identified by its beginning and their aid.
  package let nodeID: String
  private let vendor: UInt16
  private let random: () -> UInt32

  /// The numbers that were given, to be stored whenever they change.
  package private(set) var numbers: EndpointNumbers
  /// The time of the current call. The front end sets it before each call.
  package var now: Duration = .zero
  /// All services with what they became.
  package private(set) var services: [ServiceMapping] = []

  /// The characteristics that the profile leaves out, as slots.
  private(set) var leftOut: Set<Int> = []
  private(set) var parts: [EndpointNumber: MappedEndpoint] = [:]
  package private(set) var endpoints: [EndpointNumber] = []
  /// The clusters that show a service, by its position in the database.
  private var clustersOfService: [Int: [(endpoint: MappedEndpoint, cluster: MappedCluster)]] = [:]

  /// What is known of the values that only the device has.
  enum LiveValues {
    case unknown
    /// The device was asked, and has not answered.
    case awaited
    /// The values in the database are those of the last answer, except these.
    case answered(failures: [AttributeID: HAPStatus])
  }
  var liveValues = LiveValues.unknown
  /// Called with each request to the attribute server before it is made; nil: they are not recorded.
  package var onRequest: ((AttributeRequest) -> Void)?

  package enum AttributeRequest {
    case write([AttributeWrite])
    case ask([AttributeID])
  }

  /// The false answers to reads, on purpose.
  package var falseReads: [FalseRead] = []

  /// The ends of attributes that count down.
  var countdowns: [AttributePath: Duration] = [:]
  /// The sender of the request that is being executed.
  private(set) var writingSubject: Subject?
  private var changes: [AttributePath] = []
  private var isChanged: Set<AttributePath> = []
  private var events: [MappedEvent] = []

  /// - Parameters:
  ///   - session: has the rights of an administrator; the access control list of the node decides before.
  ///   - overrides: the choices of the profile.
  ///   - vendor: the vendor of device types and clusters that Matter does not know.
  ///   - settings: the values of `settings` before a restart.
  ///   - random: returns random numbers, for data versions.
  package init(
    _ server: AttributeServer, _ session: AttributeSession, _ overrides: MappingOverrides = MappingOverrides(),
    numbers: EndpointNumbers, nodeID: String, vendor: UInt16,
    settings: [AttributePath: Element.Value] = [:], random: @escaping () -> UInt32
  ) {
    (self.server, self.session, self.numbers, self.nodeID) = (server, session, numbers, nodeID)
    (self.vendor, self.random) = (vendor, random)
    let plan = AccessoryPlan(server.database, overrides, vendor: vendor, numbers: &self.numbers)
    (services, leftOut) = (plan.services, plan.leftOut)
    for endpoint in plan.endpoints { adopt(endpoint, from: nil, stored: settings) }
    index()
  }

  /// Changes with `settings`.
  package internal(set) var settingsEdition = 0

  /// The values that only the node knows, such as labels and options; to be kept over restarts. `NodeSettings` writes
  /// them as bytes.
  package var settings: [AttributePath: Element.Value] {
    parts.values.reduce(into: [:]) { $0.merge($1.stored) { one, _ in one } }
  }

  // MARK: Endpoints

  /// Creates an endpoint.
  /// - Parameters:
  ///   - old: the endpoint with the same number before, whose data versions continue.
  ///   - stored: of this and other endpoints.
  private func adopt(_ plan: EndpointPlan, from old: MappedEndpoint?, stored: [AttributePath: Element.Value]) {
    let clusters = plan.clusters.map { cluster in
      MappedCluster(
        cluster.shape, service: cluster.service, server.database.serviceID(at: cluster.service),
        dataVersion: old?.cluster(cluster.shape.description.id)?.dataVersion ?? random())
    }
    let own = stored.filter { path, _ in
      path.endpoint == plan.number && clusters.contains { $0.id == path.cluster }
    }
    parts[plan.number] = MappedEndpoint(plan, clusters: clusters, stored: own, held: old?.held ?? [:])
  }

  private func index() {
    endpoints = parts.keys.sorted()
    clustersOfService = [:]
    for number in endpoints {
      guard let endpoint = parts[number] else { continue }
      for cluster in endpoint.clusters { clustersOfService[cluster.service, default: []].append((endpoint, cluster)) }
    }
  }

  /// Builds the endpoints again after the database was replaced, and subscribes to its characteristics.
  /// - Parameter overrides: the choices of the new profile.
  /// - Returns: the attributes that changed: the parts, the device types and the clusters of endpoints that stay, and all
  ///   attributes of clusters that are new, that have other attributes or that show another service, and the attributes
  ///   that are computed of other characteristics. The root's PartsList changes, too, if `endpoints` differs.
  package func databaseWasReplaced(_ overrides: MappingOverrides = MappingOverrides()) -> [AttributePath] {
    let old = parts
    let settings = self.settings
    let plan = AccessoryPlan(server.database, overrides, vendor: vendor, numbers: &numbers)
    (services, leftOut) = (plan.services, plan.leftOut)
    parts = [:]
    liveValues = .unknown
    for endpoint in plan.endpoints { adopt(endpoint, from: old[endpoint.number], stored: settings) }
    index()
    subscribe()
    countdowns = countdowns.filter { path, _ in parts[path.endpoint]?.cluster(path.cluster) != nil }
    for number in endpoints {
      guard let endpoint = parts[number] else { continue }
      for cluster in endpoint.clusters { noteDifference(cluster, in: endpoint, before: old[number]) }
    }
    return takeChanges()
  }

  private func noteDifference(_ cluster: MappedCluster, in endpoint: MappedEndpoint, before: MappedEndpoint?) {
    guard let old = before, let same = old.cluster(cluster.id),
      same.shape.description == cluster.shape.description, same.serviceID == cluster.serviceID
    else {
      return noteAll(of: cluster, in: endpoint)
    }
    for number in cluster.shape.attributes(differingFrom: same.shape) {
      note(AttributePath(endpoint.number, cluster.id, number), of: cluster)
    }
    // A vendor's attribute describes the characteristics, whose limits may be others.
    if cluster.shape.attribute(EndpointNumbers.descriptionAttribute) != nil, ClusterName.isOwn(cluster.id) {
      let path = AttributePath(endpoint.number, cluster.id, EndpointNumbers.descriptionAttribute)
      note(path, of: cluster)
    }
    guard cluster.id == ClusterName.descriptor else { return }
    let clusters = endpoint.clusters.map(\.id)
    let differs: [(AttributeNumber, Bool)] = [
      (0, old.plan.deviceTypes != endpoint.plan.deviceTypes), (1, old.clusters.map(\.id) != clusters),
      (3, old.plan.parts != endpoint.plan.parts),
    ]
    for (attribute, isOther) in differs where isOther {
      note(AttributePath(endpoint.number, cluster.id, attribute), of: cluster)
    }
  }

  func noteAll(of cluster: MappedCluster, in endpoint: MappedEndpoint) {
    for attribute in cluster.shape.description.attributes where attribute.read != nil {
      note(AttributePath(endpoint.number, cluster.id, attribute.number), of: cluster)
    }
  }

  // MARK: Changes

  /// Records a change of an attribute.
  func note(_ path: AttributePath, of cluster: MappedCluster) {
    cluster.dataVersion &+= 1
    if isChanged.insert(path).inserted { changes.append(path) }
  }

  /// Records the changes that a changed characteristic causes.
  /// - Parameter event: the value of a button's press, which the database may have lost; nil: the current value.
  func noteChange(ofSlot slot: Int, event: Value? = nil) {
    if leftOut.contains(slot) { return }
    let database = server.database
    let type = database.characteristics[slot].type
    guard let service = database.services.firstIndex(where: { $0.slots.contains(slot) }) else { return }
    for (endpoint, cluster) in clustersOfService[service] ?? [] {
      let template = cluster.shape.template
      let access = ClusterAccess(accessory: self, endpoint: endpoint, cluster: cluster)
      for attribute in cluster.shape.attributes(of: type) {
        note(AttributePath(endpoint.number, cluster.id, attribute), of: cluster)
      }
      template.changed?(access, type)
      for binding in template.events where binding.source == type {
        for (number, fields) in binding.occur(access, event ?? database[slot: slot]) {
          add(number, binding.priority, fields, cluster.id, endpoint.number)
        }
      }
    }
  }

  func add(
    _ event: EventNumber, _ priority: EventPriority, _ fields: [Element], _ cluster: ClusterID,
    _ endpoint: EndpointNumber
  ) {
    events.append(
      MappedEvent(endpoint: endpoint, cluster: cluster, event: event, priority: priority, fields: fields))
  }

  /// Returns the attributes that changed since the last call, each once: by writes and commands, which cause no events of
  /// the session.
  package func takeChanges() -> [AttributePath] {
    defer {
      changes = []
      isChanged = []
    }
    return changes
  }

  /// Returns the events that happened since the last call, in order.
  package func takeEvents() -> [MappedEvent] {
    defer { events = [] }
    return events
  }

  // MARK: Interaction

  func cluster(_ endpoint: EndpointNumber, _ id: ClusterID) throws(InteractionStatus) -> ClusterAccess {
    guard let part = parts[endpoint] else { throw InteractionStatus(.unsupportedEndpoint) }
    guard let cluster = part.cluster(id) else { throw InteractionStatus(.unsupportedCluster) }
    return ClusterAccess(accessory: self, endpoint: part, cluster: cluster)
  }

  /// Executes a request of a sender.
  func execute<Outcome>(
    for subject: Subject, _ body: () throws(InteractionStatus) -> Outcome
  ) throws(InteractionStatus) -> Outcome {
    writingSubject = subject
    session.reportedName = subject.name
    defer {
      writingSubject = nil
      session.reportedName = nil
    }
    return try body()
  }
}
