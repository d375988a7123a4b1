import HAPWire
import MatterModel
import MatterWire

extension ClusterDescription {
  /// The number of attributes, with the global ones.
  var attributeCount: Int { attributes.count + GlobalAttribute.allCases.count }

  /// The attribute at a position; the global ones follow the others.
  func attribute(at position: Int) -> Attribute {
    position < attributes.count
      ? attributes[position] : Attribute(GlobalAttribute.allCases[position - attributes.count].rawValue)
  }

  /// The attribute with a number, also a global one.
  func attribute(_ number: AttributeNumber) -> Attribute? {
    if GlobalAttribute(rawValue: number) != nil { return Attribute(number) }
    return attributes.first { $0.number == number }
  }

  func command(_ number: CommandNumber) -> Command? { commands.first { $0.number == number } }

  /// Appends the value of a global attribute.
  func append(_ global: GlobalAttribute, tag: ElementTag, into buffer: inout ByteBuffer) {
    switch global {
    case .generatedCommandList:
      Self.append(Set(commands.compactMap(\.response)).sorted(), tag, into: &buffer)
    case .acceptedCommandList: Self.append(commands.map(\.number), tag, into: &buffer)
    case .attributeList:
      Self.append(
        (attributes.map(\.number) + GlobalAttribute.allCases.map(\.rawValue)).sorted(), tag, into: &buffer)
    case .featureMap: buffer.appendElement(tag, unsigned: UInt64(features))
    case .clusterRevision: buffer.appendElement(tag, unsigned: UInt64(revision))
    }
  }

  private static func append(_ numbers: [UInt32], _ tag: ElementTag, into buffer: inout ByteBuffer) {
    buffer.openContainer(tag, .array)
    for number in numbers { buffer.appendElement(.anonymous, unsigned: UInt64(number)) }
    buffer.closeContainer()
  }
}

extension InteractionTarget {
  /// Appends the value of any attribute, also of a global one.
  func read(
    _ path: AttributePath, of description: ClusterDescription, for subject: Subject, isFabricFiltered: Bool,
    tag: ElementTag, into buffer: inout ByteBuffer
  ) throws(InteractionStatus) {
    if let global = GlobalAttribute(rawValue: path.attribute) {
      description.append(global, tag: tag, into: &buffer)
    } else {
      try read(path, for: subject, isFabricFiltered: isFabricFiltered, tag: tag, into: &buffer)
    }
  }
}
