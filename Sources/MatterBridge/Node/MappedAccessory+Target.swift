import HAPWire
import MatterModel
import MatterWire

extension MappedAccessory {
  package func clusters(of endpoint: EndpointNumber) -> [ClusterDescription] {
    parts[endpoint]?.clusters.map(\.shape.description) ?? []
  }

  package func deviceTypes(of endpoint: EndpointNumber) -> [UInt32] {
    parts[endpoint]?.plan.deviceTypes.map(\.number) ?? []
  }

  /// 0 for a cluster that does not exist.
  package func dataVersion(of endpoint: EndpointNumber, _ cluster: ClusterID) -> UInt32 {
    parts[endpoint]?.cluster(cluster)?.dataVersion ?? 0
  }

  package func read(
    _ path: AttributePath, for subject: Subject, isFabricFiltered: Bool, tag: ElementTag, into buffer: inout ByteBuffer
  ) throws(InteractionStatus) {
    let access = try cluster(path.endpoint, path.cluster)
    guard let attribute = access.cluster.shape.attribute(path.attribute) else {
      throw InteractionStatus(.unsupportedAttribute)
    }
    guard let read = attribute.read else { throw InteractionStatus(.unsupportedRead) }
    if let fault = falseReads.first(where: { attribute.sources.contains($0.type) }) {
      return Element(tag, .unsigned(try fault.answer.get())).encode(into: &buffer)
    }
    Element(tag, try read(access)).encode(into: &buffer)
  }

  package func write(
    _ path: AttributePath, _ change: AttributeChange, for subject: Subject
  ) throws(InteractionStatus) {
    let access = try cluster(path.endpoint, path.cluster)
    guard let attribute = access.cluster.shape.attribute(path.attribute) else {
      throw InteractionStatus(.unsupportedAttribute)
    }
    guard let write = attribute.write else { throw InteractionStatus(.unsupportedWrite) }
    // No attribute of an accessory that can be written is a list.
    guard case .replace(let value) = change else { throw InteractionStatus(.invalidDataType) }
    try execute(for: subject) { () throws(InteractionStatus) in try write(access, value) }
  }

  package func invoke(_ path: CommandPath, _ fields: Element, for subject: Subject) -> CommandOutcome {
    do throws(InteractionStatus) {
      let access = try cluster(path.endpoint, path.cluster)
      guard let command = access.cluster.shape.command(path.command) else {
        throw InteractionStatus(.unsupportedCommand)
      }
      return try execute(for: subject) { () throws(InteractionStatus) in
        try command.perform(access, CommandFields(element: fields))
      }
    } catch {
      return .status(error)
    }
  }

  /// Access control is the root's.
  package func accessEntries(of fabric: FabricIndex) -> [AccessEntry] { [] }
}
