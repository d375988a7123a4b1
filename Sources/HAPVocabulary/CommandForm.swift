import HAPModel

/// The form of one command: its members besides `id` and `command`, and its operands for `hapsim ctl`.
package struct CommandForm: Sendable {
  package let name: CommandName
  /// The members, in the order in which they are printed.
  package let members: [CommandMember]
  /// The effect, in Markdown, for the reference pages.
  package let does: String
  /// Whether a scenario may have the command as a step. Queries are excluded, and so are commands that control the time
  /// or the end of a scenario.
  package let isScenarioStep: Bool

  init(_ name: CommandName, _ members: [CommandMember], isScenarioStep: Bool = true, _ does: String) {
    self.name = name
    self.members = members
    self.isScenarioStep = isScenarioStep
    self.does = does
  }

  /// Whether the command names a file of this machine.
  package var namesFile: Bool { members.contains { $0.kind == .profile } }

  /// The members that `hapsim ctl` takes as operands, required ones first. The other members are options.
  package var words: [CommandMember] { members.filter(\.isWord) }

  /// The command as usage lines show it, such as "press [single|double|long]".
  package var usage: String {
    ([name.rawValue] + words.map { $0.isRequired ? $0.label : "[\($0.label)]" }).joined(separator: " ")
  }
}

/// A member of a command.
package struct CommandMember: Sendable {
  package enum Kind: Equatable, Sendable {
    case accessory, service, characteristic, controller, duration, fault, profile
    /// Any value of a characteristic, or the catalogue's name for it.
    case value
    /// The kind of press of a button.
    case press
    case flag
    /// A whole number from 0 to 100.
    case percent
    /// The name of a preset, or fields.
    case quirks
    /// The kind of a commissioning window of Matter.
    case window
    /// The time of a commissioning window, in whole seconds.
    case seconds
    /// The index of a fabric of Matter.
    case fabric

    /// The values of a whole number; nil: it is none.
    package var range: ClosedRange<Int128>? {
      switch self {
      case .percent: 0...100
      case .seconds: MatterWindow.timeouts.wide
      case .fabric: MatterFabric.indices.wide
      case .accessory, .service, .characteristic, .controller, .duration, .fault, .profile, .value, .press, .flag,
        .quirks, .window:
        nil
      }
    }
  }
  package let kind: Kind
  package let isRequired: Bool
  /// Whether `hapsim ctl` takes the member as an operand instead of an option.
  package let isWord: Bool

  private init(_ kind: Kind, isRequired: Bool, isWord: Bool = true) {
    self.kind = kind
    self.isRequired = isRequired
    self.isWord = isWord
  }

  /// The option `--accessory`.
  static let accessory = CommandMember(.accessory, isRequired: false, isWord: false)
  static let accessoryWord = CommandMember(.accessory, isRequired: false)
  static let service = CommandMember(.service, isRequired: false, isWord: false)
  static let characteristic = CommandMember(.characteristic, isRequired: true)
  static let value = CommandMember(.value, isRequired: true)
  static let press = CommandMember(.press, isRequired: false)
  static let flag = CommandMember(.flag, isRequired: true)
  /// A flag whose default is true.
  static let optionalFlag = CommandMember(.flag, isRequired: false)
  static let percent = CommandMember(.percent, isRequired: true)
  static let duration = CommandMember(.duration, isRequired: true)
  static let fault = CommandMember(.fault, isRequired: true)
  /// A controller; the default is all controllers.
  static let controller = CommandMember(.controller, isRequired: false)
  static let quirks = CommandMember(.quirks, isRequired: true)
  static let profile = CommandMember(.profile, isRequired: true)
  static let window = CommandMember(.window, isRequired: false)
  static let seconds = CommandMember(.seconds, isRequired: false)
  static let fabric = CommandMember(.fabric, isRequired: true)

  /// The key in JSON.
  package var name: String {
    switch kind {
    case .accessory: "accessory"
    case .service: "service"
    case .characteristic: "characteristic"
    case .controller: "controller"
    case .duration: "duration"
    case .fault: "fault"
    case .profile: "profile"
    case .press, .window: "kind"
    case .seconds: "seconds"
    case .fabric: "fabric"
    case .value, .flag, .percent, .quirks: "value"
    }
  }

  /// The member as usage lines show it.
  package var label: String {
    switch kind {
    case .flag: "on|off"
    case .press: "single|double|long"
    case .fault: "NAME[:PARAMETER=VALUE…]"
    case .percent: "PERCENT"
    case .quirks: "PRESET"
    case .window: MatterWindow.Kind.allCases.map(\.rawValue).joined(separator: "|")
    case .accessory, .service, .characteristic, .controller, .duration, .profile, .value, .seconds, .fabric:
      name.uppercased()
    }
  }
}

extension ClosedRange where Bound: BinaryInteger {
  var wide: ClosedRange<Int128> { Int128(lowerBound)...Int128(upperBound) }
}
