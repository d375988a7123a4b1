import HAPCommandLine
import HAPController
import HAPModel
import HAPStore
import HAPWire

extension Command {
  private static let meta = Flag("meta", "show permissions, format and limits too")
  private static let raw = Flag("raw", "print the accessory's JSON unchanged")

  /// `hapctl accessories`
  static let accessories = Command(
    "accessories", "show all services and characteristics, with their values",
    operands: .some(label: "TARGET", count: 1...1),
    options: [meta.definition, raw.definition, CommonOptions.json.definition] + CommonOptions.all,
    discussion: [
      "Errors in the accessory's database are printed to standard error. --json prints the whole parsed database, with names; --raw prints the database as received."
    ],
    examples: [("hapctl accessories garage --raw > garage.json", "the database as the accessory sends it")]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("accessories", to: try Target(arguments.operands[0]), arguments, console)
    let (withMeta, isRaw, isJSON) = (arguments[meta], arguments[raw], arguments[CommonOptions.json])
    if isRaw, isJSON { throw UsageError("--raw and --json exclude each other") }
    return visit.withAccessory { accessory in
      if isRaw {
        let answer = try await accessory.client.request(.accessories)
        console.print(String(decoding: answer.body, as: UTF8.self))
        return .well
      }
      let mirror = try await accessory.mirror()
      if isJSON {
        console.print(json(mirror.database))
      } else {
        for line in tree(mirror.database, withMeta: withMeta) { console.print(line) }
      }
      for remark in mirror.remarks { console.complain("note: \(remark)") }
      return .well
    }
  }
}

/// Returns accessories, services and characteristics, with one more level of indentation for each.
func tree(_ database: AttributeDatabase, withMeta: Bool) -> [String] {
  var lines: [String] = []
  for accessory in database.accessoryEntries {
    lines.append("Accessory \(accessory.aid)")
    for service in database.services[accessory.services] {
      let name = Catalogue.service(service.type)?.name ?? service.type.description
      let marks = [service.isPrimary ? "primary" : nil, service.isHidden ? "hidden" : nil].compactMap { $0 }
      lines.append("  \(service.iid) \(name)" + (marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))"))
      for slot in service.slots {
        let characteristic = database.characteristics[slot]
        var line = "    \(database.id(ofSlot: slot)) \(database.title(ofSlot: slot))"
        if characteristic.perms.contains(.pairedRead) { line += ": \(characteristic.text(of: characteristic.value))" }
        if withMeta { line += "  [\(characteristic.metaText)]" }
        lines.append(line)
      }
    }
  }
  return lines
}

extension Characteristic {
  fileprivate var metaText: String {
    var parts = [format.rawValue, perms.names.joined(separator: " ")]
    func number(_ value: Value?) -> String {
      switch value {
      case .integer(let number)?: "\(number)"
      case .float(let number)?: number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
      default: ""
      }
    }
    if constraints.minValue != nil || constraints.maxValue != nil {
      parts.append("\(number(constraints.minValue))…\(number(constraints.maxValue))")
    }
    if let step = constraints.minStep { parts.append("step \(number(step))") }
    if let length = constraints.maxLen { parts.append("at most \(length) bytes") }
    if let values = constraints.validValues {
      parts.append("one of \(values.map(String.init).joined(separator: ", "))")
    }
    return parts.joined(separator: "; ")
  }
}
