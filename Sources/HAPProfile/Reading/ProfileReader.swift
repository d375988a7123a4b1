import HAPModel
import HAPWire

/// Reads documents. An unreadable part is reported and replaced by a harmless default, so that one run reports all problems.
struct ProfileReader {
  var problems: [ProfileProblem] = []
  /// Whether the document is complete, and nothing is added.
  var isExact = false
  /// The number of entries with an unreadable type.
  var placeholderCount = 0

  mutating func report(_ rule: ProfileRule, _ node: JSONNode, _ message: String) {
    var problem = ProfileProblem(rule, at: node, message)
    if isExact, rule.isWarningWhenExact { problem.severity = .warning }
    problems.append(problem)
  }

  /// Returns the value of a member as parsed by `read`, or nil if the member is absent or invalid.
  mutating func member<T>(
    _ name: String, of node: JSONNode, rule: ProfileRule = .memberKind, _ read: (JSONNode) throws(JSONProblem) -> T
  ) -> T? {
    guard let member = node[name] else { return nil }
    do {
      return try read(member)
    } catch {
      problems.append(ProfileProblem(rule, path: error.path, place: error.place, error.message))
      return nil
    }
  }

  mutating func string(_ name: String, of node: JSONNode) -> String? {
    member(name, of: node) { (node) throws(JSONProblem) in try node.asString() }
  }

  mutating func bool(_ name: String, of node: JSONNode) -> Bool? {
    member(name, of: node) { (node) throws(JSONProblem) in try node.asBool() }
  }

  mutating func integer(_ name: String, of node: JSONNode, in range: ClosedRange<Int128>) -> Int128? {
    guard let integer = member(name, of: node, { (node) throws(JSONProblem) in try node.asInteger(in: .min ... .max) })
    else { return nil }
    guard range.contains(integer) else {
      report(.memberRange, node[name] ?? node, "\(integer) is not in \(range.lowerBound)...\(range.upperBound)")
      return nil
    }
    return integer
  }

  /// Returns an explicit aid or iid.
  mutating func id(_ name: String, of node: JSONNode) -> UInt64? {
    integer(name, of: node, in: 1...Int128(UInt64.max)).map { UInt64($0) }
  }

  /// Returns the elements of a list that are objects.
  mutating func objects(_ name: String, of node: JSONNode) -> [JSONNode] {
    guard let list = member(name, of: node, { (node) throws(JSONProblem) in try node.asList() }) else { return [] }
    return list.filter {
      if $0.members != nil { return true }
      report(.memberKind, $0, "an object is expected, not \($0.kindName)")
      return false
    }
  }

  mutating func refuseUnknownMembers(_ node: JSONNode, except names: [String]) {
    for problem in node.unknownMembers(except: names) {
      problems.append(ProfileProblem(.memberUnknown, path: problem.path, place: problem.place, problem.message))
    }
  }

  /// Reports a required member that is absent.
  mutating func require(_ name: String, of node: JSONNode) {
    if node[name] == nil { report(.memberMissing, node, "\"\(name)\" is missing") }
  }
}

extension ProfileReader {
  /// Whether the rest of the document can be understood.
  mutating func isFormat1(_ document: JSONNode) -> Bool {
    guard document.members != nil else {
      report(.memberKind, document, "a profile is an object, not \(document.kindName)")
      return false
    }
    guard let format = document["format"] else {
      report(.memberMissing, document, "\"format\" is missing: \"format\": \"hasaccessory/1\"")
      return false
    }
    guard format.stringValue == "hasaccessory/1" else {
      report(.formatVersion, format, "the format must be \"hasaccessory/1\"; no other format is supported")
      return false
    }
    return true
  }

  mutating func profile(_ document: JSONNode) -> ProfileRoot {
    refuseUnknownMembers(document, except: ProfileMembers.document)
    isExact = bool("exact", of: document) ?? false
    let bridgedNodes = objects("bridgedAccessories", of: document)
    if document["services"] == nil, document["bridgedAccessories"] == nil {
      report(.memberMissing, document, "\"services\" is missing (a bridge has \"bridgedAccessories\")")
    }
    var main = accessory(document, isBridged: false)
    let category = main.category ?? (bridgedNodes.isEmpty ? .other : .bridge)
    main.category = category
    let bridged = bridgedNodes.map { accessory($0, isBridged: true) }

    let setupCode = member("setupCode", of: document, rule: .setupCode) { (node) throws(JSONProblem) in
      let text = try node.asString()
      do {
        return try SetupCode(text)
      } catch {
        throw node.problem("\(error)")
      }
    }
    let setupID = member("setupID", of: document, rule: .setupID) { (node) throws(JSONProblem) in
      guard let id = SetupID(try node.asString()) else {
        throw node.problem("a setup ID is four characters of 0-9 and A-Z")
      }
      return id
    }
    let deviceID = member("deviceID", of: document, rule: .deviceID) { (node) throws(JSONProblem) in
      guard let id = DeviceID(try node.asString()) else {
        throw node.problem(
          "a device ID is six pairs of hexadecimal digits separated by colons, such as AA:BB:CC:DD:EE:FF")
      }
      return id
    }
    var accessories = [main] + bridged
    for index in accessories.indices {
      if isExact { accessories[index].takeInformation() } else { complete(&accessories[index]) }
    }
    return ProfileRoot(
      isExact: isExact, category: category, setupCode: setupCode, setupID: setupID, deviceID: deviceID, node: document,
      accessories: accessories)
  }

  private mutating func accessory(_ node: JSONNode, isBridged: Bool) -> AccessoryDraft {
    if isBridged { refuseUnknownMembers(node, except: ProfileMembers.bridgedAccessory) }
    require("name", of: node)
    if isBridged { require("services", of: node) }
    var draft = AccessoryDraft(node: node, name: string("name", of: node) ?? "Accessory")
    draft.isBridged = isBridged
    draft.manufacturer = string("manufacturer", of: node)
    draft.model = string("model", of: node)
    draft.serialNumber = string("serialNumber", of: node)
    draft.firmwareRevision = string("firmwareRevision", of: node)
    draft.id = string("id", of: node)
    draft.aid = id("aid", of: node)
    draft.copies = Int(integer("copies", of: node, in: 1...149) ?? 1)
    draft.category = category(of: node)
    draft.services = objects("services", of: node).map { service($0) }
    return draft
  }

  private mutating func category(of node: JSONNode) -> HAPModel.Category? {
    guard let slug = string("category", of: node), let member = node["category"] else { return nil }
    if let category = Catalogue.category(slug: slug) { return category }
    let hint = nearestName(to: slug, in: Catalogue.categories.map(\.slug)).map { ": did you mean \"\($0)\"?" } ?? ""
    report(.categoryUnknown, member, "there is no category \"\(slug)\"\(hint)")
    return nil
  }
}
