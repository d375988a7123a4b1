import HAPCommandLine
import HAPProfile
import HAPWire

/// An action of `hapsim edit` on a profile.
enum EditAction {
  case addService(ServiceRequest, name: String?, label: String?)
  case addCharacteristic(String, service: String, value: String?, members: [(name: String, word: String)])
  case set(String, value: String)
  case remove(String)

  static let accessoryOption = Option<AccessoryChoice>(
    "accessory", "N|NAME",
    "the accessory, if there are bridged ones: 1 is the bridge, 2 the first bridged one",
    read: { (text: String) throws(UsageError) in
      guard !text.isEmpty else { throw UsageError("it can't be empty") }
      return AccessoryChoice(text)
    })
  static let nameOption = Option<String>("name", "NAME", "the name of an added service")
  static let labelOption = Option<String>(
    "label", "ID", "the ID of an added service, by which other services link to it")
  static let valueOption = Option<String>(
    "value", "VALUE", "the initial value of an added characteristic (default: a safe value)",
    read: { (text: String) throws(UsageError) in text })
  static let formatOption = Option<String>(
    "format", "FORMAT", "the format of an added characteristic that Apple doesn't define")
  static let permsOption = Option<String>(
    "perms", "PERMS", "the permissions of an added characteristic, such as pr,pw,ev")

  /// The names of the actions.
  static var names: [String] { forms.map(\.name) }

  /// The operands of an action, and its options besides `--accessory`.
  private struct Form {
    var name: String
    var operands: [String]
    var options: [Option<String>] = []
  }

  private static let forms = [
    Form(name: "add-service", operands: ["SERVICE"], options: [nameOption, labelOption]),
    Form(
      name: "add-characteristic", operands: ["SERVICE", "CHARACTERISTIC"],
      options: [valueOption, formatOption, permsOption]),
    Form(name: "set", operands: ["TARGET", "VALUE"]),
    Form(name: "remove", operands: ["TARGET"]),
  ]

  /// - Parameter words: the action's name and its operands.
  init(_ words: some Collection<String>, _ arguments: Arguments) throws(UsageError) {
    let name = words.first ?? ""
    let words = Array(words.dropFirst())
    guard let form = Self.forms.first(where: { $0.name == name }) else {
      let hint =
        nearestName(to: name, in: Self.names).map { "; did you mean \($0)?" }
        ?? ": expected \(Self.names.joined(separator: ", "))"
      throw UsageError("there is no action \(shown(name))\(hint)")
    }
    guard words.count >= form.operands.count else {
      throw UsageError("\(name): \(form.operands[words.count]) is missing")
    }
    guard words.count == form.operands.count else {
      throw UsageError("\(name): unexpected argument \(shown(words[form.operands.count]))")
    }
    for option in Self.forms.flatMap(\.options) where arguments.has(option) {
      guard form.options.contains(where: { $0.definition == option.definition }) else {
        throw UsageError("\(name) takes no --\(option.definition.name)")
      }
    }
    switch name {
    case "add-service":
      let request: ServiceRequest
      do throws(ServiceRequestError) { request = try ServiceRequest(words[0]) } catch {
        throw UsageError(error.message)
      }
      self = .addService(
        request, name: try arguments.value(Self.nameOption), label: try arguments.value(Self.labelOption))
    case "add-characteristic":
      var members: [(name: String, word: String)] = []
      for option in [Self.formatOption, Self.permsOption] {
        if let word = try arguments.value(option) { members.append((option.definition.name, word)) }
      }
      self = .addCharacteristic(
        words[1], service: words[0], value: try arguments.value(Self.valueOption), members: members)
    case "set": self = .set(words[0], value: words[1])
    default: self = .remove(words[0])
    }
  }

  /// - Returns: a description of the change.
  func apply(to editor: inout ProfileEditor, in accessory: AccessoryChoice?) throws(JSONProblem) -> String {
    switch self {
    case .addService(let request, let name, let label): try editor.add(request, name: name, label: label, to: accessory)
    case .addCharacteristic(let words, let service, let value, let members):
      try editor.addCharacteristic(words, to: service, value: value, members: members, in: accessory)
    case .set(let target, let value): try editor.set(target, to: value, in: accessory)
    case .remove(let target): try editor.remove(target, in: accessory)
    }
  }
}
