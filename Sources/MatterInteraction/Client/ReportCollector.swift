import MatterModel
import MatterWire

/// Joins the messages of a report: lists that came in parts are whole again.
package struct ReportCollector: Sendable {
  /// The values, and the statuses of paths that have none.
  package private(set) var values: [AttributePath: Element.Value] = [:]
  package private(set) var statuses: [AttributePattern: InteractionStatus] = [:]
  /// The data versions of clusters, each as the last message had it.
  package private(set) var versions: [ClusterPath: UInt32] = [:]
  package private(set) var events: [EventRecord] = []
  package private(set) var eventStatuses: [EventPattern: InteractionStatus] = [:]
  /// The paths in the order in which they came.
  package private(set) var order: [AttributePath] = []
  package private(set) var subscription: UInt32?

  /// One cluster of one endpoint.
  package struct ClusterPath: Hashable, Sendable {
    package var endpoint: EndpointNumber
    package var cluster: ClusterID

    package init(_ endpoint: EndpointNumber, _ cluster: ClusterID) {
      (self.endpoint, self.cluster) = (endpoint, cluster)
    }
  }

  package init() {}

  /// Adds a message. An entry of a list that did not begin is refused, as are paths with wildcards.
  package mutating func add(_ report: ReportData) throws(InteractionStatus) {
    subscription = report.subscription
    for attribute in report.attributes {
      switch attribute.content {
      case .status(let status): statuses[attribute.path] = status
      case .change(let change, let version):
        guard let path = attribute.path.path else { throw InteractionStatus(.invalidAction) }
        try apply(change, to: path)
        if let version { versions[ClusterPath(path.endpoint, path.cluster)] = version }
      }
    }
    for event in report.events {
      switch event {
      case .record(let record): events.append(record)
      case .status(let pattern, let status): eventStatuses[pattern] = status
      }
    }
  }

  private mutating func apply(_ change: AttributeChange, to path: AttributePath) throws(InteractionStatus) {
    switch change {
    case .replace(let value):
      if values.updateValue(value, forKey: path) == nil { order.append(path) }
    case .append(let entry):
      guard case .container(.array, let entries) = values.removeValue(forKey: path) else {
        throw InteractionStatus(.invalidAction)
      }
      values[path] = .container(.array, entries + [Element(.anonymous, entry)])
    }
  }
}
