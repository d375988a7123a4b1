import HAPWire

extension JSONNode {
  /// Reads one YAML document. JSON is read exactly as `JSONNode.parse` reads it.
  ///
  /// Plain scalars follow YAML 1.2's core schema, so `on`, `yes` and `no` are text. Scalars in quotes and blocks are text. A key is a scalar,
  /// and occurs only once in its mapping. An alias becomes a copy of its value, with the original places and its own paths.
  /// Several documents, merge keys, and tags other than the core schema's are refused.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8. The caller limits the size: 4 MiB need some tens of MiB of memory.
  ///   - depthLimit: 1...128 levels of lists and mappings.
  ///   - nodeLimit: the limit for values in the tree, including the copies of aliases.
  package static func yaml(
    _ bytes: [UInt8], depthLimit: Int = 64, nodeLimit: Int = 200_000
  ) throws(JSONError) -> JSONNode {
    precondition((1...128).contains(depthLimit))
    // JSON is valid YAML 1.2, but not YAML 1.1. libyaml's 1.1 supports neither surrogate pairs nor names of more than 1024 characters.
    if let node = try? parse(bytes, depthLimit: depthLimit) {
      guard node.count(upTo: nodeLimit) <= nodeLimit else { throw .tooMany(nodeLimit, at: node.place) }
      return node
    }
    return try yamlAlone(bytes, depthLimit: depthLimit, nodeLimit: nodeLimit)
  }

  /// Parses with libyaml, even if the text is JSON.
  static func yamlAlone(
    _ bytes: [UInt8], depthLimit: Int = 64, nodeLimit: Int = 200_000
  ) throws(JSONError) -> JSONNode {
    try refuseTagDirectives(bytes)
    var builder = YAMLNodeBuilder(YAMLEvents(bytes), depthLimit: depthLimit, nodeLimit: nodeLimit)
    return try builder.document()
  }

  /// libyaml compares each directive with all others, so a long list of them takes hours.
  private static func refuseTagDirectives(_ bytes: [UInt8]) throws(JSONError) {
    let directive = Array("%TAG".utf8)
    var line = 1
    for start in bytes.indices {
      if start > 0 {
        guard bytes[start - 1] == 0x0A || bytes[start - 1] == 0x0D else { continue }
        if bytes[start - 1] == 0x0A { line += 1 }
      }
      if bytes[start] == directive[0], bytes[start...].starts(with: directive) {
        throw JSONError(place: JSONPlace(line: line, column: 1), message: "no tags but YAML's own are supported")
      }
    }
  }

  /// Returns the number of values in this tree, or some number above `limit` if there are more.
  private func count(upTo limit: Int) -> Int {
    var count = 1
    for child in elements ?? members?.map(\.value) ?? [] {
      count += child.count(upTo: limit - count)
      if count > limit { break }
    }
    return count
  }
}

extension JSONError {
  fileprivate static func tooMany(_ limit: Int, at place: JSONPlace) -> JSONError {
    JSONError(place: place, message: "there are more than \(limit) values, including the copies of aliases")
  }
}

/// Builds nodes from events; recursion ends at the depth limit.
private struct YAMLNodeBuilder {
  private enum Anchored {
    /// The anchor's value is still being read. An alias of it would be inside its own value.
    case open
    case node(JSONNode)
  }

  private let events: YAMLEvents
  private let depthLimit: Int
  private let nodeLimit: Int
  private var anchors: [String: Anchored] = [:]
  private var nodeCount = 0

  init(_ events: YAMLEvents, depthLimit: Int, nodeLimit: Int) {
    self.events = events
    self.depthLimit = depthLimit
    self.nodeLimit = nodeLimit
  }

  mutating func document() throws(JSONError) -> JSONNode {
    _ = try events.next()  // the stream's start
    let start = try events.next()
    guard start.kind == .documentStart else { throw JSONError(place: start.place, message: "there is nothing here") }
    let node = try value(try events.next(), .root, depth: 0)
    _ = try events.next()  // the document's end
    let end = try events.next()
    guard end.kind == .streamEnd else {
      throw JSONError(place: end.place, message: "a second document starts here: only one document is expected")
    }
    return node
  }

  private mutating func value(
    _ event: YAMLEvents.Event, _ path: JSONPath, depth: Int
  ) throws(JSONError) -> JSONNode {
    let place = event.place
    switch event.kind {
    case .scalar(let scalar):
      try count(place)
      let node = JSONNode(try kind(of: scalar, place), place: place, path: path)
      if let anchor = scalar.properties.anchor { anchors[anchor] = .node(node) }
      return node
    case .alias(let name): return try copy(try meaning(of: name, place), at: place, path, depth: depth)
    case .sequenceStart(let properties):
      return try collection(properties, "seq", place, depth) { (builder: inout Self) throws(JSONError) in
        var elements: [JSONNode] = []
        while true {
          let event = try builder.events.next()
          if event.kind == .sequenceEnd { return JSONNode(.array(elements), place: place, path: path) }
          elements.append(try builder.value(event, .element(of: path, elements.count), depth: depth + 1))
        }
      }
    case .mappingStart(let properties):
      return try collection(properties, "map", place, depth) { (builder: inout Self) throws(JSONError) in
        JSONNode(.object(try builder.members(path, depth: depth)), place: place, path: path)
      }
    case .streamStart, .streamEnd, .documentStart, .documentEnd, .sequenceEnd, .mappingEnd:
      preconditionFailure("libyaml reports these events only in order")
    }
  }

  private mutating func collection(
    _ properties: YAMLEvents.Properties, _ type: String, _ place: JSONPlace, _ depth: Int,
    _ read: (inout Self) throws(JSONError) -> JSONNode
  ) throws(JSONError) -> JSONNode {
    try count(place)
    guard depth < depthLimit else { throw JSONError(place: place, message: "nested too deeply") }
    if let tag = properties.tag, tag != Self.coreTag + type { throw wrongTag(tag, place) }
    if let anchor = properties.anchor { anchors[anchor] = .open }
    let node = try read(&self)
    if let anchor = properties.anchor { anchors[anchor] = .node(node) }
    return node
  }

  private mutating func members(_ path: JSONPath, depth: Int) throws(JSONError) -> [JSONNode.Member] {
    var members: [JSONNode.Member] = []
    var lines: [String: Int] = [:]
    while true {
      let key = try events.next()
      if key.kind == .mappingEnd { return members }
      let name = try name(key)
      if let line = lines.updateValue(key.place.line, forKey: name) {
        throw JSONError(
          place: key.place, message: "\"\(name)\" occurs twice in one object: it is already in line \(line)")
      }
      let node = try value(try events.next(), .member(of: path, name), depth: depth + 1)
      members.append(.init(name: name, place: key.place, value: node))
    }
  }

  private mutating func name(_ key: YAMLEvents.Event) throws(JSONError) -> String {
    guard case .scalar(let scalar) = key.kind else {
      let what =
        switch key.kind {
        case .alias: "an alias"
        case .sequenceStart: "a list"
        default: "a mapping"
        }
      throw JSONError(place: key.place, message: "a key must be a text, not \(what)")
    }
    if scalar.isPlain, scalar.properties.tag == nil {
      if scalar.text.isEmpty { throw JSONError(place: key.place, message: "a key is missing before the colon") }
      if scalar.text == "<<" {
        throw JSONError(
          place: key.place, message: "no merge keys are supported: write the members here, or alias the whole value")
      }
    }
    // This also checks the key's tag.
    let kind = try kind(of: scalar, key.place)
    if let anchor = scalar.properties.anchor { anchors[anchor] = .node(JSONNode(kind, place: key.place)) }
    return scalar.text
  }

  // MARK: Scalars

  private static let coreTag = "tag:yaml.org,2002:"

  private func kind(of scalar: YAMLEvents.Scalar, _ place: JSONPlace) throws(JSONError) -> JSONNode.Kind {
    do throws(YAMLScalar.Refusal) {
      switch scalar.properties.tag {
      case nil: return scalar.isPlain ? try YAMLScalar.plain(scalar.text) : .string(scalar.text)
      case "!": return .string(scalar.text)
      case let tag?:
        let types = ["str", "int", "float", "bool", "null"]
        guard let type = types.first(where: { Self.coreTag + $0 == tag }) else { throw .init(message: unknown(tag)) }
        return try YAMLScalar.tagged(scalar.text, type)
      }
    } catch { throw JSONError(place: place, message: error.message) }
  }

  private func wrongTag(_ tag: String, _ place: JSONPlace) -> JSONError {
    JSONError(place: place, message: unknown(tag))
  }

  private func unknown(_ tag: String) -> String {
    let shown = tag.hasPrefix(Self.coreTag) ? "!!" + tag.dropFirst(Self.coreTag.count) : tag
    return "the tag \(shown) is not supported here: leave it out, or put a text in quotes"
  }

  // MARK: Aliases

  private func meaning(of name: String, _ place: JSONPlace) throws(JSONError) -> JSONNode {
    switch anchors[name] {
    case .node(let node): return node
    case .open: throw JSONError(place: place, message: "*\(name) is inside its own value")
    case nil:
      let hint = nearestName(to: name, in: anchors.keys.sorted()).map { ": did you mean *\($0)?" } ?? ""
      throw JSONError(place: place, message: "nothing before this has the anchor &\(name)\(hint)")
    }
  }

  /// Copies a value to another path.
  private mutating func copy(
    _ node: JSONNode, at place: JSONPlace, _ path: JSONPath, depth: Int
  ) throws(JSONError) -> JSONNode {
    try count(place)
    var copy = node
    copy.path = path
    switch node.kind {
    case .array(let elements):
      try checkDepth(depth, place)
      var copies: [JSONNode] = []
      for element in elements {
        copies.append(try self.copy(element, at: place, .element(of: path, copies.count), depth: depth + 1))
      }
      copy.kind = .array(copies)
    case .object(let members):
      try checkDepth(depth, place)
      var copies: [JSONNode.Member] = []
      for var member in members {
        member.value = try self.copy(member.value, at: place, .member(of: path, member.name), depth: depth + 1)
        copies.append(member)
      }
      copy.kind = .object(copies)
    case .null, .bool, .number, .string: break
    }
    return copy
  }

  private func checkDepth(_ depth: Int, _ place: JSONPlace) throws(JSONError) {
    guard depth < depthLimit else { throw JSONError(place: place, message: "nested too deeply") }
  }

  private mutating func count(_ place: JSONPlace) throws(JSONError) {
    nodeCount += 1
    guard nodeCount <= nodeLimit else { throw .tooMany(nodeLimit, at: place) }
  }
}
