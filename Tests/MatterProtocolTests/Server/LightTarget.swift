import HAPWire
import MatterModel
import MatterProtocol
import MatterWire

/// The endpoints of lights that the user, too, can switch.
final class LightTarget: InteractionTarget {
  static let onOff = AttributePath(1, 6, 0)
  static let toggle = CommandPath(1, 6, 2)
  /// A command that has to be timed.
  static let timedOff = CommandPath(1, 6, 0)
  /// An attribute that has to be written with a timed request.
  static let timed = AttributePath(1, 6, 0x4003)
  /// An attribute that can be written.
  static let number = AttributePath(1, 6, 0x4001)
  private static let cluster = ClusterDescription(
    6, revision: 6,
    attributes: [.init(0), .init(0x4001, write: .operate), .init(0x4003, write: .operate, isTimed: true)],
    commands: [.init(0, isTimed: true), .init(1), .init(2)])

  let endpoints: [EndpointNumber]
  private var values: [AttributePath: Element.Value] = [:]
  private var versions: [EndpointNumber: UInt32] = [:]
  private var changes: [AttributePath] = []

  init(count: EndpointNumber = 1) { endpoints = Array(1...count) }

  /// Returns what has changed since the last call.
  func takeChanges() -> [AttributePath] {
    defer { changes = [] }
    return changes
  }

  func clusters(of endpoint: EndpointNumber) -> [ClusterDescription] {
    endpoints.contains(endpoint) ? [Self.cluster] : []
  }
  func deviceTypes(of endpoint: EndpointNumber) -> [UInt32] { [0x0100] }
  func dataVersion(of endpoint: EndpointNumber, _ cluster: ClusterID) -> UInt32 { versions[endpoint] ?? 0 }
  func accessEntries(of fabric: FabricIndex) -> [AccessEntry] { [] }

  subscript(_ path: AttributePath) -> Element.Value {
    get { values[path] ?? (path.attribute == 0 ? .bool(false) : .unsigned(0)) }
    set {
      guard newValue != self[path] else { return }
      values[path] = newValue
      versions[path.endpoint, default: 0] += 1
      changes.append(path)
    }
  }

  func read(
    _ path: AttributePath, for subject: Subject, isFabricFiltered: Bool, tag: ElementTag, into buffer: inout ByteBuffer
  ) throws(InteractionStatus) { Element(tag, self[path]).encode(into: &buffer) }

  func write(_ path: AttributePath, _ change: AttributeChange, for subject: Subject) throws(InteractionStatus) {
    guard case .replace(.unsigned(let number)) = change else { throw InteractionStatus(.invalidDataType) }
    self[path] = .unsigned(number)
  }

  func invoke(_ path: CommandPath, _ fields: Element, for subject: Subject) -> CommandOutcome {
    let onOff = AttributePath(path.endpoint, path.cluster, 0)
    self[onOff] = .bool(path.command == 2 ? self[onOff] == .bool(false) : path.command == 1)
    return .status(.success)
  }
}
