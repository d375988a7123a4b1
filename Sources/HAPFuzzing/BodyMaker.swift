import HAPModel
import HAPWire

/// Makes JSON bodies and queries of HAP with correct form and faulty values, or the reverse.
struct BodyMaker: Sendable {
  let facts: FuzzFacts

  static let words = [
    "\"aid\":", "\"iid\":", "\"value\":", "\"ev\":", "\"r\":", "\"remote\":", "\"authData\":", "\"characteristics\":",
    "\"pid\":", "\"ttl\":", "\"status\":", "null", "true", "false", "NaN", "Infinity", "[]", "{}", ",", ":", "\\u0000",
    "\\ud800", "\\", "\"\"", "//", "/**/", "-70402", "image", "resource-type", "image-width",
  ]

  /// Returns a request such as "PUT /characteristics", and its body.
  func body(_ chance: inout FuzzChance) -> (request: String, bytes: [UInt8]) {
    switch chance.below(10) {
    case 0: return ("PUT /prepare", object([("ttl", number(&chance)), ("pid", number(&chance))], &chance))
    case 1:
      let members = [
        ("resource-type", chance.oneIn(4) ? value(&chance) : "\"image\""), ("image-width", number(&chance)),
        ("image-height", number(&chance)), ("aid", number(&chance)),
      ]
      return ("POST /resource", object(members, &chance))
    case 2: return ("GET " + query(&chance), [])
    default: return ("PUT /characteristics", write(&chance))
    }
  }

  func write(_ chance: inout FuzzChance) -> [UInt8] {
    var entries: [String] = []
    for _ in 0...chance.size(below: chance.oneIn(20) ? 100 : 4) { entries.append(entry(&chance)) }
    let list = chance.oneIn(20) ? value(&chance) : "[\(entries.joined(separator: ","))]"
    var members = [("characteristics", list)]
    if chance.oneIn(6) { members.append(("pid", number(&chance))) }
    return object(members, &chance)
  }

  private func entry(_ chance: inout FuzzChance) -> String {
    var members: [(String, String)] = []
    if let target = facts.targets.isEmpty ? nil : chance.pick(facts.targets) {
      members = [("aid", "\(target.id.aid)"), ("iid", "\(target.id.iid)")]
      let right = JSONWriter.text { json in chance.pick(target.values).write(to: &json) }
      if !chance.oneIn(4) { members.append(("value", chance.oneIn(3) ? right : value(&chance))) }
    }
    if members.isEmpty || chance.oneIn(10) { members.append(("iid", number(&chance))) }
    for name in ["ev", "r", "remote", "authData", "x"] where chance.oneIn(6) {
      members.append((name, chance.oneIn(2) ? "true" : value(&chance)))
    }
    if chance.oneIn(6) { members.remove(at: chance.below(members.count)) }
    if chance.oneIn(6) { members.append(chance.pick(members.isEmpty ? [("aid", "1")] : members)) }
    return String(decoding: object(members, &chance), as: UTF8.self)
  }

  /// Returns the target of a read.
  func query(_ chance: inout FuzzChance) -> String {
    var ids: [String] = []
    for _ in 0...chance.size(below: chance.oneIn(15) ? 200 : 5) {
      if facts.readable.isEmpty || chance.oneIn(3) {
        ids.append("\(number(&chance)).\(number(&chance))")
      } else {
        ids.append("\(chance.pick(facts.readable))")
      }
      if chance.oneIn(8) {
        ids.append(chance.pick(["", ".", "1", "1.", ".1", "1.1.1", "a.b", "-1.1", "%31.1", " 1.1"]))
      }
    }
    var target = "/characteristics?id=" + ids.joined(separator: chance.oneIn(10) ? ";" : ",")
    for name in ["meta", "perms", "type", "ev"] where chance.oneIn(4) {
      target += "&\(name)=" + chance.pick(["1", "0", "true", "", "2", "1&\(name)=0"])
    }
    // A blank would end the target; the area `http` tests that.
    return target.replacing(" ", with: "%20")
  }

  private func object(_ members: [(String, String)], _ chance: inout FuzzChance) -> [UInt8] {
    Array("{\(members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}".utf8)
  }

  private func number(_ chance: inout FuzzChance) -> String {
    chance.oneIn(2) ? "\(chance.below(100))" : chance.pick(ByteMutator.numbers)
  }

  private func value(_ chance: inout FuzzChance) -> String {
    switch chance.below(11) {
    case 0, 1: return chance.pick(ByteMutator.numbers)
    case 2: return chance.pick(["true", "false", "null", "1.5", "-0.0", "1e-400", "1E+2"])
    case 3:
      return "\""
        + String(repeating: chance.pick(["a", "é", "\u{1F300}", "\\u0000", "\\\""]), count: chance.size(below: 2000))
        + "\""
    case 4: return "\"\(Base64.encode(chance.bytes(chance.size(below: 300))))\""
    case 5: return chance.pick(["{}", "[]", "[[]]", "{\"a\":{}}", "[null]", "\"\""])
    case 6:
      let depth = chance.pick([3, 15, 16, 64, 65, 500, 1000])
      return String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    case 7:
      let depth = chance.pick([3, 16, 64, 500])
      return String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
    case 8: return "[" + (0..<chance.below(300)).map { "\($0)" }.joined(separator: ",") + "]"
    case 9: return "\"\(chance.pick(["\\ud800", "\\udc00\\ud800", "\\uD83C\\uDF00", "\\x", "\\u12"]))\""
    default: return "\(chance.below(300))"
    }
  }
}
