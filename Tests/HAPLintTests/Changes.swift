import HAPLint
import HAPModel
import Testing

/// One change of a database without findings, and the findings that it causes.
struct Change: CustomTestStringConvertible, Sendable {
  var database: String
  var from: String
  var to: String
  var found: [String]
  var facts = LintFacts()

  init(_ database: String, _ from: String, _ to: String, _ found: String..., facts: LintFacts = LintFacts()) {
    self.database = database
    self.from = from
    self.to = to
    self.found = found.sorted()
    self.facts = facts
  }

  var testDescription: String { "\(found.joined(separator: " ")): \(from) → \(to)" }

  var changed: String { database.replacing(from, with: to, maxReplacements: 1) }

  private static let house = Databases.house
  private static let bridge = Databases.bridge

  static let all: [Change] = text + ids + information + spelling + values + catalogue + services

  static let text: [Change] = [
    Change(house, "{\"accessories\":[", "[{\"a\":[", "json/malformed"),
    Change(house, "{\"accessories\"", "\u{FEFF}{\"accessories\"", "json/byte-order-mark"),
    Change(house, "\"value\":7}", "\"value\":7,}", "json/trailing-comma"),
    Change(house, "\"value\":20.5", "\"value\":NaN", "json/not-a-number"),
    Change(house, "\"hello\"", "\"hel\tlo\"", "json/control-character"),
    Change(house, "\"iid\":11,", "\"iid\":11,\"iid\":11,", "json/member-twice"),
    Change(house, "{\"accessories\":", "{\"things\":", "shape/accessories-missing"),
    Change(house, "\"linked\":[10]", "\"linked\":10", "shape/kind"),
    Change(house, "\"primary\":true", "\"primary\":1", "shape/kind"),
    Change(house, "\"unit\":\"arcdegrees\"", "\"unit\":null", "shape/null-member"),
    Change(house, "\"type\":\"43\",", "", "shape/type-missing"),
    Change(house, "\"iid\":11,", "", "shape/iid-missing"),
    Change(house, "{\"aid\":1,", "{", "shape/aid-missing"),
    Change(house, "\"perms\":[\"pr\",\"pw\",\"ev\"],\"format\":\"int\"", "\"format\":\"int\"", "shape/perms-missing"),
    Change(house, "\"format\":\"int\",", "", "shape/format-missing"),
    Change(house, ",\"format\":\"data\"", "", "shape/format-missing"),
    Change("{\"accessories\":[]}", "", "", "shape/no-accessory"),
  ]

  static let ids: [Change] = [
    Change(house, "\"aid\":1", "\"aid\":2", "aids/no-aid-1"),
    Change(house, "\"aid\":1", "\"aid\":\"1\"", "aids/not-an-id"),
    Change(bridge, "\"aid\":3", "\"aid\":2", "aids/twice"),
    Change(bridge, "\"aid\":3", "\"aid\":0", "aids/not-an-id"),
    Change(bridge, "\"aid\":3", "\"aid\":3.0", "aids/not-an-id"),
    Change(bridge, "\"aid\":3", "\"aid\":1", "bridge-aid/taken", "protocol-information/missing"),
    Change(bridge, "\"aid\":1", "\"aid\":9", "bridge-aid/missing"),
    Change(house, "\"iid\":12", "\"iid\":11", "iids/twice"),
    Change(house, "\"iid\":12", "\"iid\":-1", "iids/not-an-id"),
    Change(house, "\"iid\":12", "\"iid\":18446744073709551616", "iids/not-an-id"),
    Change(bridge, "\"LA0002\"", "\"LB0003\"", "serials/twice"),
    Change(bridge, "", "", "bridge-category/not-a-bridge", facts: LintFacts(category: 1)),
    Change(house, "", "", "category/unfit", facts: LintFacts(category: 6)),
    Change(house, "", "", "category/unfit", facts: LintFacts(category: 1)),
  ]

  static let information: [Change] = [
    Change(house, "\"3E\"", "\"49\"", "information/missing", "required/missing", "unlisted/unlisted").severalUnlisted,
    Change(house, "\"iid\":1,", "\"iid\":100,", "information/iid"),
    Change(
      Databases.one(Databases.information().replacing("\"iid\":", with: "\"iid\":9")), "", "", "information/twice"),
    Change(
      house, "{\"iid\":4,\"type\":\"21\",\"perms\":[\"pr\"],\"format\":\"string\",\"value\":\"Lamp1\"},", "",
      "information-members/missing"),
    Change(
      house, ",\n{\"iid\":7,\"type\":\"52\",\"perms\":[\"pr\"],\"format\":\"string\",\"value\":\"1.0.0\"}", "",
      "information-members/firmware-revision-missing"),
    Change(
      house, "\"perms\":[\"pw\"],\"format\":\"bool\"", "\"perms\":[\"pw\"],\"format\":\"bool\",\"value\":null",
      "identify/value"),
    Change(
      house, "\"perms\":[\"pw\"],\"format\":\"bool\"", "\"perms\":[\"pw\"],\"format\":\"bool\",\"value\":false",
      "identify/value"),
    Change(
      house, "\"perms\":[\"pw\"],\"format\":\"bool\"", "\"perms\":[\"pw\",\"pr\"],\"format\":\"bool\"", "identify/perms"
    ),
    Change(
      house, "\"perms\":[\"pw\"],\"format\":\"bool\"", "\"perms\":[\"pw\"],\"format\":\"uint8\"", "identify/format"),
    Change(house, "\"SN0001\"", "\"S\"", "information-lengths/serial-too-short"),
    Change(house, "\"SN0001\"", "\"\"", "information-lengths/serial-too-short"),
    Change(house, "\"Acme\"", "\"\"", "information-lengths/empty"),
    Change(house, "\"Hall Lamp\"", "\"\"", "information-lengths/empty"),
    Change(house, "\"Lamp1\"", "\"\"", "information-lengths/model-empty"),
    // 65 bytes, but 33 characters.
    Change(house, "\"Lamp1\"", "\"a\(String(repeating: "é", count: 32))\"", "information-lengths/too-long"),
    Change(house, "\"1.0.0\"", "\"1.0.0.0\"", "revision/form"),
    Change(house, "\"1.0.0\"", "\"v1\"", "revision/form"),
    Change(house, "\"1.0.0\"", "\"4294967296\"", "revision/form"),
    Change(house, "\"1.0.0\"", "\"1..0\"", "revision/form"),
    Change(house, "\"1.0.0\"", "\"3.40.XX\"", "revision/tail"),
    Change(house, "\"Hall Lamp\"", "\"Hall-Lamp\"", "name-characters/hyphen"),
    Change(house, "\"Hall Lamp\"", "\"Hall_Lamp\"", "name-characters/character"),
    Change(house, "\"Hall Lamp\"", "\"Hall Lamp!\"", "name-characters/character"),
    Change(house, "\"Hall Lamp\"", "\"Hall\\u0007Lamp\"", "name-characters/control-character"),
    Change(house, Databases.version + ",", "", "protocol-information/missing"),
    Change(house, "\"1.1.0\"", "\"1.1\"", "protocol-information/version"),
    Change(house, "\"1.1.0\"", "\"2.2.0\"", "protocol-information/version"),
    Change(house, "\"1.1.0\"", "\"01.01.00\"", "protocol-information/padded"),
    Change(
      house, "{\"iid\":9,\"type\":\"37\",\"perms\":[\"pr\"],\"format\":\"string\",\"value\":\"1.1.0\"}", "",
      "protocol-information/version-missing", "hidden/empty"),
    Change(
      Databases.one(Databases.version.replacing("\"iid\":", with: "\"iid\":9")), "", "", "protocol-information/twice"),
  ]

  static let spelling: [Change] = [
    Change(house, "\"43\"", "\"00000043-0000-1000-8000-0026BB765291\"", "types/long-form"),
    Change(house, "\"2F\"", "\"2f\"", "types/lower-case"),
    Change(house, "\"43\"", "\"0043\"", "types/leading-zeros"),
    Change(house, "1D9E0012-63A1-4C9B-9B5A-0C34A1E0B001", "1D9E001263A14C9B9B5A0C34A1E0B001", "types/no-dashes"),
    Change(house, "1D9E0012-63A1-4C9B-9B5A-0C34A1E0B001", "my own", "types/not-a-type"),
    Change(house, "1D9E0012-63A1-4C9B-9B5A-0C34A1E0B001", "FFFF", "types/unknown"),
    Change(house, "\"format\":\"int\"", "\"format\":\"int32\"", "formats/int32"),
    Change(house, "\"format\":\"data\"", "\"format\":\"date\"", "formats/unknown"),
    Change(house, "\"unit\":\"percentage\"", "\"unit\":\"percent\"", "formats/unit"),
    Change(house, "\"perms\":[\"pr\",\"hd\"]", "\"perms\":[]", "perms/empty"),
    Change(house, "\"perms\":[\"pr\",\"hd\"]", "\"perms\":[\"pr\",\"pr\"]", "perms/twice"),
    Change(house, "\"perms\":[\"pr\",\"hd\"]", "\"perms\":[\"pr\",\"rw\"]", "perms/unknown"),
    Change(house, "[\"pr\",\"pw\",\"aa\",\"tw\"]", "[\"pr\",\"aa\"]", "perms-implied/without-pw"),
    Change(
      house, "\"perms\":[\"pr\",\"ev\"],\"format\":\"tlv8\",\"value\":\"AQEA\"",
      "\"perms\":[\"ev\"],\"format\":\"tlv8\"",
      "perms-implied/ev-without-pr"),
  ]

  static let values: [Change] = [
    Change(house, "\"format\":\"data\",\"value\":\"AQID\"", "\"format\":\"data\"", "value-presence/missing"),
    Change(
      house, "\"perms\":[\"pw\"],\"format\":\"string\"", "\"perms\":[\"pw\"],\"format\":\"string\",\"value\":\"\"",
      "value-presence/unreadable"),
    Change(house, "\"value\":\"AQID\"", "\"value\":null", "value-null/once"),
    Change(
      house, "\"value\":\"AQID\"", "\"value\":null", "value-null/always",
      facts: LintFacts(nullAgain: [.init(aid: 1, iid: 22)])),
    Change(
      house, "\"format\":\"tlv8\",\"value\":\"\"", "\"format\":\"tlv8\",\"value\":null", "value-null/write-response"),
    Change(house, "\"value\":true", "\"value\":\"on\"", "value-kind/kind"),
    Change(house, "\"value\":true", "\"value\":2", "value-kind/kind"),
    Change(house, "\"value\":50", "\"value\":true", "value-kind/kind"),
    Change(house, "\"value\":50", "\"value\":50.5", "value-kind/kind"),
    Change(house, "\"value\":50", "\"value\":50.0", "value-kind/fraction"),
    Change(house, "\"value\":\"hello\"", "\"value\":5", "value-kind/kind"),
    Change(house, "\"value\":\"AQID\"", "\"value\":[1,2,3]", "value-kind/kind"),
    Change(house, "\"value\":7", "\"value\":256", "value-range/outside"),
    Change(house, "\"value\":7", "\"value\":-1", "value-range/outside"),
    Change(house, "\"value\":7", "\"value\":1e300", "value-range/outside"),
    Change(house, "\"value\":50", "\"value\":101", "value-range/outside"),
    Change(house, "\"value\":20.5", "\"value\":0.49999998", "value-range/outside"),
    Change(house, "\"value\":80", "\"value\":100.5", "value-range/apple-range"),
    Change(
      house, "\"value\":50,\"unit\":\"percentage\",\"minValue\":0,\"maxValue\":100,\"minStep\":1",
      "\"value\":51,\"minValue\":0,\"maxValue\":100,\"minStep\":2", "value-step/off-grid"),
    Change(house, "\"value\":20.5", "\"value\":20.7", "value-step/off-grid"),
    Change(house, "\"minValue\":0.5", "\"minValue\":41", "limits/order"),
    Change(house, "\"minStep\":0.5", "\"minStep\":0", "limits/step"),
    Change(house, "\"maxLen\":16", "\"minValue\":1", "limits/not-a-number"),
    Change(house, "\"maxValue\":360", "\"maxValue\":361", "limits-widened/range"),
    Change(house, "\"minValue\":0,\"maxValue\":100", "\"minValue\":-1,\"maxValue\":100", "limits-widened/range"),
    Change(Databases.heaterCooler, "\"value\":25", "\"value\":25,\"maxValue\":37", "limits-widened/usual"),
    Change(house, "[1,3]", "[1,9]", "valid-values/undefined", "valid-values/value"),
    Change(house, "[1,3]", "[1,2]", "valid-values/value"),
    Change(house, "[1,3]", "[3,1]", "valid-values/order"),
    Change(house, "[1,3]", "[1,3,3]", "valid-values/order"),
    Change(house, "[1,3]", "[1,\"3\"]", "valid-values/kind"),
    Change(house, "[0,4]", "[0,5]", "valid-values/undefined"),
    Change(house, "[0,4]", "[4,0]", "valid-values/kind"),
    Change(house, "[0,4]", "[[0,1],[1,4]]", "valid-values/order"),
    Change(house, "\"value\":7", "\"value\":7,\"valid-values\":[7]", "valid-values/elsewhere"),
    Change(house, "\"value\":true", "\"value\":true,\"valid-values\":[0,1]", "valid-values/not-an-integer"),
    Change(house, "\"maxLen\":16", "\"maxLen\":4", "max-len/too-long"),
    Change(
      house, "\"value\":\"hello\",\"maxLen\":16", "\"value\":\"\(String(repeating: "h", count: 65))\"",
      "max-len/too-long"),
    Change(house, "\"maxLen\":16", "\"maxLen\":257", "max-len/too-large"),
    Change(house, "\"maxDataLen\":8", "\"maxLen\":8", "max-len/not-a-string"),
    Change(house, "\"maxLen\":16", "\"maxLen\":-1", "shape/kind"),
    Change(house, "\"maxDataLen\":8", "\"maxDataLen\":2", "bytes/too-long"),
    Change(house, "\"AQID\"", "\"AQI\"", "bytes/not-base64"),
    Change(house, "\"maxLen\":16", "\"maxDataLen\":16", "bytes/not-data"),
    Change(house, "\"AQEA\"", "\"AQIA\"", "bytes/not-tlv8"),
    Change(house, "\"AQEA\"", "\"AQEAAQEA\"", "bytes/neighbours"),
  ]

  static let catalogue: [Change] = [
    Change(house, "\"format\":\"int\"", "\"format\":\"uint8\"", "definition/format"),
    Change(
      house, "\"perms\":[\"pr\",\"pw\",\"ev\"],\"format\":\"int\"", "\"perms\":[\"pr\",\"pw\"],\"format\":\"int\"",
      "definition/perms"),
    Change(
      house, "[\"pr\",\"ev\"],\"format\":\"uint8\"", "[\"pr\",\"pw\",\"ev\"],\"format\":\"uint8\"",
      "definition/writable"),
    Change(Databases.one(Databases.ceiling), "\"uint32\"", "\"int\"", "definition/other-format"),
    Change(
      house, "{\"iid\":11,\"type\":\"25\",\"perms\":[\"pr\",\"pw\",\"ev\"],\"format\":\"bool\",\"value\":true},", "",
      "required/missing"),
    Change(
      Databases.one(Databases.outlet),
      ",\n{\"iid\":82,\"type\":\"26\",\"perms\":[\"pr\",\"ev\"],\"format\":\"bool\",\"value\":true}", "",
      "required/optional-elsewhere"),
    Change(house, "\"type\":\"2F\"", "\"type\":\"29\"", "unlisted/unlisted"),
    Change(house, "1D9E0012-63A1-4C9B-9B5A-0C34A1E0B001", "1D9E0011-63A1-4C9B-9B5A-0C34A1E0B001", "type-twice/twice"),
  ]

  static let services: [Change] = [
    Change(house, "\"linked\":[10]", "\"linked\":[0]", "links/zero"),
    Change(house, "\"linked\":[10]", "\"linked\":[99]", "links/nowhere"),
    Change(house, "\"linked\":[10]", "\"linked\":[11]", "links/nowhere"),
    Change(house, "\"linked\":[10]", "\"linked\":[10,10]", "links/twice"),
    Change(house, "\"linked\":[10]", "\"linked\":[20]", "links/self"),
    Change(house, "\"linked\":[10]", "\"linked\":[\"10\"]", "links/not-an-iid"),
    Change(house, "\"type\":\"43\",", "\"type\":\"43\",\"linked\":[20],", "link-cycles/cycle"),
    Change(house, "\"linked\":[10],", "\"linked\":[10],\"primary\":true,", "primary/custom", "primary/several"),
    Change(house, "\"type\":\"7E\",", "\"type\":\"7E\",\"primary\":true,", "primary/several"),
    Change(Databases.one(), "\"type\":\"3E\",", "\"type\":\"3E\",\"primary\":true,", "primary/information"),
    Change(Databases.one(Databases.empty), "\"hidden\":true,", "", "hidden/empty"),
    Change(Databases.one(Databases.hidden), "\"hidden\":true,", "", "hidden/all-hidden"),
    Change(Databases.switches, "\"linked\":[40,44]", "\"linked\":[40]", "switches/not-linked"),
    Change(Databases.switches, ",\n" + Databases.label, "", "switches/no-label"),
    Change(
      Databases.switches, "\"format\":\"uint8\",\"value\":2", "\"format\":\"uint8\",\"value\":1", "switches/index-twice"
    ),
    Change(
      Databases.switches, ",\n{\"iid\":46,\"type\":\"CB\",\"perms\":[\"pr\"],\"format\":\"uint8\",\"value\":2}", "",
      "switches/no-index"),
    Change(
      Databases.oneSwitch, "\"value\":null}",
      "\"value\":null},\n{\"iid\":42,\"type\":\"CB\",\"perms\":[\"pr\"],\"format\":\"uint8\",\"value\":1}",
      "switches/index-of-one"),
    Change(
      Databases.heaterCooler,
      ",\n{\"iid\":66,\"type\":\"12\",\"perms\":[\"pr\",\"pw\",\"ev\"],\"format\":\"float\",\"value\":20}", "",
      "thresholds/missing"),
    Change(
      Databases.humidifier, "\"minValue\":1,\"maxValue\":1", "\"minValue\":1,\"maxValue\":2", "thresholds/missing"),
    Change(
      Databases.humidifier,
      ",\n{\"iid\":66,\"type\":\"CA\",\"perms\":[\"pr\",\"pw\",\"ev\"],\"format\":\"float\",\"value\":40}", "",
      "thresholds/missing"),
    Change(
      house, "{\"iid\":13,",
      "{\"iid\":15,\"type\":\"CE\",\"perms\":[\"pr\",\"pw\",\"ev\"],\"format\":\"uint32\",\"value\":200},\n{\"iid\":13,",
      "colours/both"),
    Change(
      Databases.valve,
      "{\"iid\":74,\"type\":\"D3\",\"perms\":[\"pr\",\"pw\",\"ev\"],\"format\":\"uint32\",\"value\":60},\n", "",
      "valves/duration"),
    Change(
      Databases.valve, ",\n{\"iid\":76,\"type\":\"CB\",\"perms\":[\"pr\"],\"format\":\"uint8\",\"value\":1}", "",
      "valves/no-index"),
  ]

  /// A Switch in which most characteristics of Accessory Information are unlisted.
  private var severalUnlisted: Change {
    var change = self
    change.found = ["information/missing", "required/missing"] + [String](repeating: "unlisted/unlisted", count: 5)
    return change
  }
}

extension Databases {
  static let ceiling = """
    {"iid":80,"type":"43","characteristics":[
    {"iid":81,"type":"25","perms":["pr","pw","ev"],"format":"bool","value":1},
    {"iid":82,"type":"CE","perms":["pr","pw","ev"],"format":"uint32","value":200,"minValue":140,"maxValue":500}]}
    """
  static let outlet = """
    {"iid":80,"type":"47","characteristics":[
    {"iid":81,"type":"25","perms":["pr","pw","ev"],"format":"bool","value":0},
    {"iid":82,"type":"26","perms":["pr","ev"],"format":"bool","value":true}]}
    """
  static let empty = """
    {"iid":80,"type":"1D9E0002-63A1-4C9B-9B5A-0C34A1E0B001","hidden":true,"characteristics":[]}
    """
  static let hidden = """
    {"iid":80,"type":"1D9E0002-63A1-4C9B-9B5A-0C34A1E0B001","hidden":true,"characteristics":[
    {"iid":81,"type":"1D9E0011-63A1-4C9B-9B5A-0C34A1E0B001","perms":["pr","hd"],"format":"string","value":"hello"}]}
    """
}
