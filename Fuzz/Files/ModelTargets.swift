import FuzzSupport
import HAPModel
import HAPProfile
import HAPWire

package func fuzzProfile(_ bytes: UnsafeRawBufferPointer) {
  editProfile([UInt8](bytes))
  guard let profile = try? AccessoryProfile(json: [UInt8](bytes), fileName: "fuzz") else { return }
  for problem in profile.problems {
    require(problem.line >= 1 && problem.column >= 1)
    _ = "\(problem)"
  }
  guard let deviceID = DeviceID("AA:BB:CC:DD:EE:FF") else { return }
  var ids = IDMap()
  let built: BuiltAccessory
  do throws(ProfileErrors) {
    built = try profile.build(ids: &ids, deviceID: deviceID)
  } catch { return }
  require(profile.isServable, "a profile with errors was built")
  // All initial values are allowed.
  // A value off the grid of its step is only a warning, because such devices exist.
  for var characteristic in built.database.characteristics where characteristic.value != .null {
    characteristic.constraints.minStep = nil
    require(characteristic.allows(characteristic.value), "\(characteristic.type) starts with a value that it refuses")
  }
  var same = ids
  guard let again = try? profile.build(ids: &same, deviceID: deviceID) else {
    fatalError("the profile cannot be built twice")
  }
  require(same == ids && again.configurationText == built.configurationText, "the ids changed")
}

/// Edits any document. Each edit succeeds or is refused, and a refused edit changes nothing.
private func editProfile(_ bytes: [UInt8]) {
  guard let editor = try? ProfileEditor(json: bytes), let request = try? ServiceRequest("LightBulb:Brightness,Name")
  else {
    return
  }
  for choice in [nil, AccessoryChoice("1"), AccessoryChoice("2"), AccessoryChoice("Lamp")] {
    let edits: [(inout ProfileEditor) throws -> String] = [
      { try $0.add(request, name: "a", label: "b", to: choice) },
      { try $0.addCharacteristic("Hue", to: "LightBulb", value: "1", members: [("perms", "pr")], in: choice) },
      { try $0.set("LightBulb#1/On", to: "on", in: choice) }, { try $0.set("43.behaviour.a.b", to: "1s", in: choice) },
      { try $0.set("name", to: "Lamp", in: choice) }, { try $0.remove("LightBulb/On", in: choice) },
      { try $0.remove("Switch", in: choice) }, { try $0.remove("services", in: choice) },
    ]
    for edit in edits {
      var edited = editor
      let done = (try? edit(&edited)) != nil
      require(done || edited.json == bytes, "a refused edit changed the document")
      require((try? JSONNode.parse(edited.json)) != nil, "an edit resulted in malformed JSON")
    }
  }
}

package func fuzzTexts(_ bytes: UnsafeRawBufferPointer) {
  let text = String(decoding: bytes, as: UTF8.self)
  if let type = TypeID(text) {
    require(TypeID(type.wireForm) == type && TypeID(type.uuid) == type, "a type is written as another")
  }
  if let code = try? SetupCode(text) { require((try? SetupCode(code.text)) == code) }
  if let id = SetupID(text) { require(SetupID(id.text) == id) }
  if let id = DeviceID(text) { require(DeviceID(id.text) == id && id.bytes.count == 6) }
  if let decoded = Base64.decode(text) { require(Base64.encode(decoded) == text, "base64 was written in another way") }
  require(Base64.decode(Base64.encode([UInt8](bytes))) == [UInt8](bytes))
  _ = (Catalogue.characteristic(named: text), Catalogue.service(named: text), Catalogue.category(slug: text))
  _ = nearestName(to: text, in: ["On", "Brightness", "TargetDoorState"])
}

package func fuzzValues(_ bytes: UnsafeRawBufferPointer) {
  var program = ByteProgram(bytes)
  let format = Format.allCases[program.number(below: Format.allCases.count)]
  var constraints = Constraints()
  let isFloat = format == .float
  func limit(_ program: inout ByteProgram) -> Value {
    let bits = program.integer()
    if isFloat {
      let number = Double(bitPattern: bits)
      return .float(number.isFinite ? number : 0)
    }
    return .integer(Int128(Int64(bitPattern: bits)))
  }
  let members = program.byte()
  if members & 1 != 0 { constraints.minValue = limit(&program) }
  if members & 2 != 0 { constraints.maxValue = limit(&program) }
  if members & 4 != 0 { constraints.minStep = limit(&program) }
  if members & 8 != 0 { constraints.maxLen = Int(program.byte()) }
  if members & 16 != 0 { constraints.maxDataLen = Int(program.byte()) }
  if members & 32 != 0 { constraints.validValues = program.piece().map(Int.init) }
  if members & 64 != 0 {
    let lower = Int(program.byte())
    constraints.validValuesRange = lower...(lower + Int(program.byte()))
  }
  // A profile with contradictory limits is refused earlier.
  if let low = constraints.minValue?.doubleValue, let high = constraints.maxValue?.doubleValue, low > high { return }
  guard let type = TypeID("25") else { return }
  let characteristic = Characteristic(
    iid: 1, type: type, format: format, perms: [.pairedRead, .pairedWrite], value: .null, constraints: constraints)
  var quirks = ValueQuirks()
  if program.isSet() { quirks.outOfRange = .clamp }
  let written: Value =
    switch program.number(below: 6) {
    case 0: .bool(program.isSet())
    case 1: .integer(Int128(Int64(bitPattern: program.integer())))
    case 2: .integer(Int128(program.integer()))
    case 3: .float(Double(bitPattern: program.integer()))
    case 4: .string(String(decoding: program.remainder(), as: UTF8.self))
    default: .data(program.remainder())
    }
  guard let taken = try? characteristic.admit(written, quirks: quirks) else { return }
  require(
    characteristic.allows(taken), "\(written) was taken as \(taken), which isn't allowed by \(characteristic)")
}
