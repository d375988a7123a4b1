/// Databases without findings, as text. Tests change one member.
enum Databases {
  static func information(_ name: String = "Hall Lamp", serial: String = "SN0001") -> String {
    """
    {"iid":1,"type":"3E","characteristics":[
    {"iid":2,"type":"14","perms":["pw"],"format":"bool"},
    {"iid":3,"type":"20","perms":["pr"],"format":"string","value":"Acme"},
    {"iid":4,"type":"21","perms":["pr"],"format":"string","value":"Lamp1"},
    {"iid":5,"type":"23","perms":["pr"],"format":"string","value":"\(name)"},
    {"iid":6,"type":"30","perms":["pr"],"format":"string","value":"\(serial)"},
    {"iid":7,"type":"52","perms":["pr"],"format":"string","value":"1.0.0"}]}
    """
  }

  static let version = """
    {"iid":8,"type":"A2","characteristics":[{"iid":9,"type":"37","perms":["pr"],"format":"string","value":"1.1.0"}]}
    """

  static func accessory(_ aid: Int, _ services: [String]) -> String {
    "{\"aid\":\(aid),\"services\":[\n\(services.joined(separator: ",\n"))]}"
  }

  static func database(_ accessories: [String]) -> String {
    "{\"accessories\":[\n\(accessories.joined(separator: ",\n"))]}"
  }

  /// One accessory with these services after Accessory and Protocol Information.
  static func one(_ services: String...) -> String { database([accessory(1, [information(), version] + services)]) }

  static let light = """
    {"iid":10,"type":"43","primary":true,"characteristics":[
    {"iid":11,"type":"25","perms":["pr","pw","ev"],"format":"bool","value":true},
    {"iid":12,"type":"8","perms":["pr","pw","ev"],"format":"int","value":50,"unit":"percentage","minValue":0,"maxValue":100,"minStep":1},
    {"iid":13,"type":"13","perms":["pr","pw","ev"],"format":"float","value":120,"unit":"arcdegrees","minValue":0,"maxValue":360,"minStep":1},
    {"iid":14,"type":"2F","perms":["pr","pw","ev"],"format":"float","value":80,"unit":"percentage"}]}
    """

  static let custom = """
    {"iid":20,"type":"1D9E0001-63A1-4C9B-9B5A-0C34A1E0B001","linked":[10],"characteristics":[
    {"iid":21,"type":"1D9E0011-63A1-4C9B-9B5A-0C34A1E0B001","perms":["pr","hd"],"format":"string","value":"hello","maxLen":16},
    {"iid":22,"type":"1D9E0012-63A1-4C9B-9B5A-0C34A1E0B001","perms":["pr"],"format":"data","value":"AQID","maxDataLen":8},
    {"iid":23,"type":"1D9E0013-63A1-4C9B-9B5A-0C34A1E0B001","perms":["pr","ev"],"format":"tlv8","value":"AQEA"},
    {"iid":24,"type":"1D9E0014-63A1-4C9B-9B5A-0C34A1E0B001","perms":["pr"],"format":"float","value":20.5,"minValue":0.5,"maxValue":40,"minStep":0.5},
    {"iid":25,"type":"1D9E0015-63A1-4C9B-9B5A-0C34A1E0B001","perms":["pr","pw","aa","tw"],"format":"uint8","value":7},
    {"iid":26,"type":"1D9E0016-63A1-4C9B-9B5A-0C34A1E0B001","perms":["pr","pw","wr"],"format":"tlv8","value":""},
    {"iid":27,"type":"1D9E0017-63A1-4C9B-9B5A-0C34A1E0B001","perms":["pw"],"format":"string"}]}
    """

  static let security = """
    {"iid":30,"type":"7E","characteristics":[
    {"iid":31,"type":"66","perms":["pr","ev"],"format":"uint8","value":3,"valid-values-range":[0,4]},
    {"iid":32,"type":"67","perms":["pr","pw","ev"],"format":"uint8","value":3,"valid-values":[1,3]}]}
    """

  /// A light, a custom service and an alarm.
  static let house = one(light, custom, security)

  static let bridge = database([
    accessory(1, [information("Bridge", serial: "BR0001"), version]),
    accessory(2, [information("Lamp A", serial: "LA0002")]),
    accessory(3, [information("Lamp B", serial: "LB0003")]),
  ])

  static func switchService(_ iid: Int, index: Int?) -> String {
    let label = index.map {
      ",\n{\"iid\":\(iid + 2),\"type\":\"CB\",\"perms\":[\"pr\"],\"format\":\"uint8\",\"value\":\($0)}"
    }
    return """
      {"iid":\(iid),"type":"89","characteristics":[
      {"iid":\(iid + 1),"type":"73","perms":["pr","ev"],"format":"uint8","value":null}\(label ?? "")]}
      """
  }

  static let label = """
    {"iid":50,"type":"CC","linked":[40,44],"characteristics":[{"iid":51,"type":"CD","perms":["pr"],"format":"uint8","value":1}]}
    """

  static let switches = one(switchService(40, index: 1), switchService(44, index: 2), label)
  static let oneSwitch = one(switchService(40, index: nil))

  static let heaterCooler = one(
    """
    {"iid":60,"type":"BC","characteristics":[
    {"iid":61,"type":"B0","perms":["pr","pw","ev"],"format":"uint8","value":1},
    {"iid":62,"type":"11","perms":["pr","ev"],"format":"float","value":21.5},
    {"iid":63,"type":"B1","perms":["pr","ev"],"format":"uint8","value":1},
    {"iid":64,"type":"B2","perms":["pr","pw","ev"],"format":"uint8","value":1,"valid-values":[0,1,2]},
    {"iid":65,"type":"D","perms":["pr","pw","ev"],"format":"float","value":25},
    {"iid":66,"type":"12","perms":["pr","pw","ev"],"format":"float","value":20}]}
    """)

  static let humidifier = one(
    """
    {"iid":60,"type":"BD","characteristics":[
    {"iid":61,"type":"B0","perms":["pr","pw","ev"],"format":"uint8","value":1},
    {"iid":62,"type":"10","perms":["pr","ev"],"format":"float","value":40},
    {"iid":63,"type":"B3","perms":["pr","ev"],"format":"uint8","value":1},
    {"iid":64,"type":"B4","perms":["pr","pw","ev"],"format":"uint8","value":1,"minValue":1,"maxValue":1},
    {"iid":66,"type":"CA","perms":["pr","pw","ev"],"format":"float","value":40}]}
    """)

  static let valve = one(
    """
    {"iid":70,"type":"D0","characteristics":[
    {"iid":71,"type":"B0","perms":["pr","pw","ev"],"format":"uint8","value":0},
    {"iid":72,"type":"D2","perms":["pr","ev"],"format":"uint8","value":0},
    {"iid":73,"type":"D5","perms":["pr","ev"],"format":"uint8","value":1},
    {"iid":74,"type":"D3","perms":["pr","pw","ev"],"format":"uint32","value":60},
    {"iid":75,"type":"D4","perms":["pr","ev"],"format":"uint32","value":0},
    {"iid":76,"type":"CB","perms":["pr"],"format":"uint8","value":1}]}
    """,
    """
    {"iid":50,"type":"CC","linked":[70],"characteristics":[{"iid":51,"type":"CD","perms":["pr"],"format":"uint8","value":1}]}
    """)
}
