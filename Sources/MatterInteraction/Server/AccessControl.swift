import MatterModel

/// The privileges of one sender, from the access control list of its fabric. Matter 1.4 §6.6.5.
struct AccessControl {
  private let subject: Subject
  /// The entries that name the sender.
  private let entries: [AccessEntry]

  init(_ subject: Subject, _ target: some InteractionTarget) {
    self.subject = subject
    switch subject {
    case .passcode: entries = []
    case .node(let node, let fabric, let tags):
      entries = target.accessEntries(of: fabric).filter { entry in
        guard entry.mode == .node else { return false }
        return entry.subjects.isEmpty
          || entry.subjects.contains { $0 == node || Self.matches($0, tags) }
      }
    }
  }

  /// Whether a subject of an entry is a tag FFFFFFFD_id_version that one of the tags has, in that version or a later
  /// one. Matter 1.4 §6.6.2.1.2.
  private static func matches(_ subject: UInt64, _ tags: [UInt32]) -> Bool {
    guard subject >> 32 == 0xFFFF_FFFD else { return false }
    let wanted = UInt32(truncatingIfNeeded: subject)
    guard wanted & 0xFFFF != 0 else { return false }
    return tags.contains { $0 >> 16 == wanted >> 16 && $0 & 0xFFFF >= wanted & 0xFFFF }
  }

  /// Returns the highest privilege on a cluster; nil: none.
  func privilege(on endpoint: EndpointNumber, _ cluster: ClusterID, of target: some InteractionTarget) -> Privilege? {
    if case .passcode = subject { return .administer }
    var highest: Privilege?
    for entry in entries where highest.map({ $0 < entry.privilege }) ?? true {
      let applies =
        entry.targets.isEmpty
        || entry.targets.contains { part in
          (part.cluster ?? cluster) == cluster && (part.endpoint ?? endpoint) == endpoint
            && (part.deviceType.map { target.deviceTypes(of: endpoint).contains($0) } ?? true)
        }
      if applies { highest = entry.privilege }
    }
    return highest
  }

  /// Throws UnsupportedAccess if the sender has a lower privilege.
  func demand(
    _ needed: Privilege, on endpoint: EndpointNumber, _ cluster: ClusterID, of target: some InteractionTarget
  ) throws(InteractionStatus) {
    guard let privilege = privilege(on: endpoint, cluster, of: target), privilege >= needed else {
      throw InteractionStatus(.unsupportedAccess)
    }
  }

  /// Returns the cluster of a concrete path. Senders that may not view it get UnsupportedAccess, also if it does not
  /// exist.
  func cluster(
    _ cluster: ClusterID, on endpoint: EndpointNumber, of target: some InteractionTarget
  ) throws(InteractionStatus) -> ClusterDescription {
    try demand(.view, on: endpoint, cluster, of: target)
    let clusters = target.clusters(of: endpoint)
    if let description = clusters.first(where: { $0.id == cluster }) { return description }
    throw InteractionStatus(
      clusters.isEmpty && !target.endpoints.contains(endpoint) ? .unsupportedEndpoint : .unsupportedCluster)
  }
}
