/// The place of a finding: the text, an element of the database, or one of its members. Its words are made on demand.
struct LintSpot {
  private let database: ParsedDatabase?
  private var accessory: ParsedAccessory?
  private var service: ParsedService?
  private var characteristic: ParsedCharacteristic?
  private var member = ""
  private var value: ParsedValue?
  private var textOffset: Int?

  /// A place in the text, in bytes; `nil` for the text as a whole.
  init(textOffset: Int?) {
    database = nil
    self.textOffset = textOffset
  }

  init(_ database: ParsedDatabase, _ accessory: ParsedAccessory? = nil) {
    self.database = database
    self.accessory = accessory
  }

  func service(_ service: ParsedService) -> LintSpot {
    var spot = self
    spot.service = service
    return spot
  }

  func characteristic(_ characteristic: ParsedCharacteristic) -> LintSpot {
    var spot = self
    spot.characteristic = characteristic
    return spot
  }

  /// Returns a member of the element, at its value if it has one.
  func member(_ name: String, _ index: Int? = nil) -> LintSpot {
    var spot = self
    let value = thing?[name]
    spot.member = name
    spot.value = value
    if let index, let elements = value?.elements, elements.indices.contains(index) {
      spot.member += "[\(index)]"
      spot.value = elements[index]
    }
    return spot
  }

  /// The element itself, without the member.
  var owner: LintSpot {
    var spot = self
    spot.member = ""
    spot.value = nil
    return spot
  }

  var aid: UInt64? { accessory?.aid }

  private var thing: ParsedValue? {
    characteristic?.value ?? service?.value ?? accessory?.value ?? database?.root
  }

  /// The offset in bytes in the text that was read. `nil` for the text as a whole.
  var offset: Int? { database == nil ? textOffset : (value ?? thing)?.offset }

  /// Whether `offset` refers to the original text, even if the database was read from a repaired one.
  var isOfTheText: Bool { database == nil }

  var path: String {
    var path = ""
    if let accessory { path = "\(database?.listName ?? "")[\(accessory.index)]" }
    if let service { path += ".services[\(service.index)]" }
    if let characteristic { path += ".characteristics[\(characteristic.index)]" }
    if !member.isEmpty { path += path.isEmpty ? member : ".\(member)" }
    return path
  }

  var subject: LintSubject {
    var subject = LintSubject()
    if let accessory { subject.accessory = accessory.label }
    if let service { subject.service = service.label }
    if let characteristic { subject.characteristic = characteristic.label }
    return subject
  }
}

extension ParsedAccessory {
  /// The accessory in words: `accessory 1 "Hall Lamp"`
  var label: String {
    let number = aid.map { "accessory \($0)" } ?? "the accessory at index \(index)"
    return name.isEmpty ? number : "\(number) \(quoted(name))"
  }
}

extension ParsedService {
  /// The service in words: `Light Bulb (iid 8)`
  var label: String { iid.map { "\(name) (iid \($0))" } ?? "\(name) (at index \(index))" }
}

extension ParsedCharacteristic {
  /// The characteristic in words: `Brightness (iid 10)`
  var label: String { iid.map { "\(name) (iid \($0))" } ?? "\(name) (at index \(index))" }
}
