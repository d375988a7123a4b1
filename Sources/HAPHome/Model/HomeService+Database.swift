import HAPModel

extension HomeService {
  /// Apple's services without a function for people. Others are in the protocol's own use: transports, updates,
  /// diagnostics, streams. WWDC14 "Introducing HomeKit" calls them hidden.
  private static let withoutFunction: Set<TypeID> = [
    0x3E, 0x55, 0x56, 0x5A, 0x62, 0x99, 0xA1, 0xA2, 0xCC, 0x110, 0x122, 0x127, 0x129, 0x203, 0x204, 0x21A, 0x221, 0x22A,
    0x22E, 0x236, 0x237, 0x239, 0x253, 0x267, 0x270, 0x701,
  ]

  /// Whether a type of services has a function for people.
  static func hasFunction(_ type: TypeID) -> Bool { !withoutFunction.contains(type) }

  /// Whether an app shows a service of an accessory to people: not if it is hidden, without a function for people, or
  /// a vendor's service without Name.
  static func isUserInteractive(_ service: Service) -> Bool {
    if service.isHidden || !hasFunction(service.type) { return false }
    return service.type.isAppleDefined || service.text(of: .name) != nil
  }
}

extension HomeCharacteristic {
  init(_ characteristic: Characteristic, of accessory: HomeObjectID) {
    self.init(
      id: accessory.part(iid: characteristic.iid), iid: characteristic.iid, type: characteristic.type,
      permissions: characteristic.perms, rules: characteristic.valueRules, unit: characteristic.unit,
      description: characteristic.description)
  }

  /// Returns the canonical form of a value to write.
  /// - Throws: rule S2: 43 for a value of another kind, 44 and 45 for a number outside of the range, 46 for a text or
  ///   data that is too long, 3 for a number between two permitted ones.
  package func canonical(_ value: Value) throws(HomeError) -> Value {
    let characteristic = Characteristic(
      iid: iid, type: type, format: rules.format, perms: permissions, constraints: rules.constraints)
    if let violation = rules.violation(of: value) { throw refusal(of: value, violation) }
    guard let admitted = try? characteristic.admit(value) else { throw refusal(of: value, .kind(rules.format)) }
    return admitted
  }

  private func refusal(of value: Value, _ violation: ValueViolation) -> HomeError {
    let code: HomeError.Code =
      switch violation {
      case .kind, .fraction, .notFinite, .base64: .invalidValueType
      case .formatRange(let range):
        value.isBelow(Double(range.lowerBound)) ? .valueLowerThanMinimum : .valueHigherThanMaximum
      case .minValue: .valueLowerThanMinimum
      case .maxValue: .valueHigherThanMaximum
      case .validValuesRange(let range):
        value.isBelow(Double(range.lowerBound)) ? .valueLowerThanMinimum : .valueHigherThanMaximum
      case .validValues(let values):
        if value.isBelow(Double(values.min() ?? 0)) {
          .valueLowerThanMinimum
        } else if let most = values.max(), let number = value.doubleValue, number > Double(most) {
          .valueHigherThanMaximum
        } else {
          .invalidParameter
        }
      case .minStep: .invalidParameter
      case .maxLen, .maxDataLen: .stringLongerThanMaximum
      }
    return HomeError(code, .s2, "\(displayName) does not take \(value.shown): \(violation.requirement)")
  }

  /// The name of the type in the catalogue, or the type.
  package var displayName: String { Catalogue.characteristic(type)?.name ?? description ?? type.wireForm }
}

extension Value {
  fileprivate func isBelow(_ limit: Double) -> Bool { doubleValue.map { $0 < limit } ?? false }

  /// The value for messages; long texts and data are shortened.
  package var shown: String {
    switch self {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)"
    case .string(let text): text.count <= 40 ? "\"\(text)\"" : "\"\(text.prefix(40))…\""
    case .data(let bytes): "\(bytes.count) bytes"
    }
  }
}

extension ValueViolation {
  fileprivate var requirement: String {
    switch self {
    case .kind(let format): "a value of the format \(format.rawValue) is required"
    case .fraction(let format): "the format \(format.rawValue) has no fractions"
    case .formatRange(let range): "the range is \(range.lowerBound) to \(range.upperBound)"
    case .minValue(let value): "the minimum is \(value.shown)"
    case .maxValue(let value): "the maximum is \(value.shown)"
    case .notFinite: "a finite number is required"
    case .validValuesRange(let range): "the range is \(range.lowerBound) to \(range.upperBound)"
    case .validValues(let values): "the values are \(values.map(String.init).joined(separator: ", "))"
    case .minStep(let step, from: let start): "the step is \(step.shown), from \(start?.shown ?? "0")"
    case .maxLen(_, let limit): "the limit is \(limit) bytes"
    case .base64: "base64 is required"
    case .maxDataLen(_, let limit): "the limit is \(limit) bytes"
    }
  }
}

extension TypeID {
  static let name: TypeID = 0x23
  static let manufacturer: TypeID = 0x20
  static let model: TypeID = 0x21
  static let serialNumber: TypeID = 0x30
  static let firmwareRevision: TypeID = 0x52
  static let accessoryInformation: TypeID = 0x3E
}

extension Service {
  /// The text of a characteristic of this type; nil without one, or for an empty text.
  func text(of type: TypeID) -> String? {
    characteristics.first { $0.type == type }?.value.stringValue.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension Accessory {
  private var informationService: Service? { services.first { $0.type == .accessoryInformation } }

  /// The text of Name in Accessory Information.
  var suppliedName: String? { informationService?.text(of: .name) }

  /// The texts of Accessory Information.
  var information: AccessoryInformation {
    AccessoryInformation(
      manufacturer: informationService?.text(of: .manufacturer), model: informationService?.text(of: .model),
      serialNumber: informationService?.text(of: .serialNumber),
      firmware: informationService?.text(of: .firmwareRevision))
  }
}
