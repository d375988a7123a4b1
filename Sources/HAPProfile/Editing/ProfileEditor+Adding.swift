import HAPModel
import HAPWire

extension ProfileEditor {
  /// Adds a service after all others of its accessory.
  package mutating func add(
    _ request: ServiceRequest, name: String? = nil, label: String? = nil, to choice: AccessoryChoice? = nil
  ) throws(JSONProblem) -> String {
    let accessory = try accessory(choice)
    let number = 1 + accessory.services.count { $0.type == request.type }
    let place = try append(
      request.writtenOut(name: name, label: label, number: number), to: "services", of: accessory.node,
      order: order(of: accessory))
    return "added \(place), \(request.spelling)"
  }

  /// Adds a characteristic to a service in the document.
  ///
  /// - Parameters:
  ///   - words: a type of the catalogue, or a vendor's full UUID, which needs a format and permissions.
  ///   - value: the initial value. Without one, an Apple-defined characteristic gets a safe default.
  ///   - members: further members, by name.
  package mutating func addCharacteristic(
    _ words: String, to service: String, value: String? = nil, members: [(name: String, word: String)] = [],
    in choice: AccessoryChoice? = nil
  ) throws(JSONProblem) -> String {
    let service = try self.service(service, in: choice)
    let definition: CharacteristicDefinition?
    if let type = TypeID(words), !type.isAppleDefined {
      definition = nil
    } else {
      do throws(ServiceRequestError) {
        definition = try CharacteristicDefinition(requested: words, of: service.definition)
      } catch {
        throw service.node.problem(error.message)
      }
    }
    let type = definition?.type ?? TypeID(words)
    if let old = service.characteristics.first(where: { $0.characteristicType == type }) {
      throw old.problem("\(service.identifier) has \(definition?.identifier ?? words) already")
    }
    var new = definition?.writtenOut() ?? .object([("type", .text(words))])
    for (name, word) in members { new.put(name, JSONNode(word: word, of: name)) }
    if let value {
      let format = new["format"]?.stringValue.flatMap { Format(rawValue: $0) } ?? definition?.format
      new.put("value", JSONNode(word: value, format: format))
    }
    let place = try append(new, to: "characteristics", of: service.node, order: ProfileMembers.service)
    return "added \(place), \(definition?.identifier ?? words)"
  }
}
