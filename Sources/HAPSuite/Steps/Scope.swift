import HAPWire

/// The variables of a case, and what stands in their place.
package struct Scope: Sendable {
  private var values: [String: JSONNode] = [:]

  package init() {}

  package subscript(_ name: String) -> JSONNode? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// Puts values in the place of variables, in the texts of a tree and in its members' names. A text that is nothing but a variable
  /// becomes its value, whatever that is; inside other text a value is written out.
  /// - Throws: if a variable has no value, or the result is larger than `limit`.
  package func resolve(_ node: JSONNode) throws(StepError) -> JSONNode {
    let result = try substituted(node)
    guard result.cost(within: Self.limit) != nil else {
      throw StepError(node, "with its variables, this has more than \(Self.limit) bytes: a value may have no more")
    }
    return result
  }

  /// The size of a value: the bytes of its texts, and 16 for each value in it. 64 MiB. Variables that are added to themselves grow without end.
  private static let limit = 64 << 20

  private func substituted(_ node: JSONNode) throws(StepError) -> JSONNode {
    switch node.kind {
    case .string(let text):
      guard hasVariable(text) else { return node }
      return try resolved(text, at: node)
    case .array(let elements):
      var result: [JSONNode] = []
      for element in elements { result.append(try substituted(element)) }
      return JSONNode(.array(result), place: node.place, path: node.path)
    case .object(let members):
      var result: [JSONNode.Member] = []
      for member in members {
        var member = member
        if hasVariable(member.name) {
          member.name = Self.text(try resolved(member.name, at: member.value))
        }
        member.value = try substituted(member.value)
        result.append(member)
      }
      return JSONNode(.object(result), place: node.place, path: node.path)
    case .null, .bool, .number: return node
    }
  }

  private func resolved(_ text: String, at node: JSONNode) throws(StepError) -> JSONNode {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "${") {
      let before = rest[..<start.lowerBound]
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
        throw StepError(node, "a variable without an end: \(text)")
      }
      let value = try value(of: String(rest[start.upperBound..<end]), at: node)
      rest = rest[rest.index(after: end)...]
      if result.isEmpty, before.isEmpty, rest.isEmpty {
        return JSONNode(value.kind, place: node.place, path: node.path)
      }
      result += before + Self.text(value)
      guard result.utf8.count <= Self.limit else {
        throw StepError(node, "with its variables, this has more than \(Self.limit) bytes: a value may have no more")
      }
    }
    return JSONNode(.string(result + rest), place: node.place, path: node.path)
  }

  /// The value that a path leads to: "on.id", "db.accessories[0].aid".
  private func value(of path: String, at node: JSONNode) throws(StepError) -> JSONNode {
    // "light.Brightness.id?" is null where it leads nowhere.
    let isOptional = path.hasSuffix("?")
    let path = isOptional ? String(path.dropLast()) : path
    let name = String(path.prefix { $0 != "." && $0 != "[" })
    guard let start = values[name] else { throw StepError(node, "nothing has given \"\(name)\" a value") }
    guard let value = start.at(String(path.dropFirst(name.count))) else {
      if isOptional { return JSONNode(.null) }
      throw StepError(node, "\"\(path)\" has no value")
    }
    return value
  }

  /// Ids as suites name them: texts, things that were found, and lists of either.
  package static func ids(_ node: JSONNode) -> [String] {
    if let elements = node.elements { return elements.flatMap(ids) }
    if node.isNull { return [] }
    return [node["id"]?.stringValue ?? text(node)]
  }

  /// A value as it stands inside text.
  package static func text(_ node: JSONNode) -> String {
    if let text = node.stringValue { return text }
    var buffer = ByteBuffer()
    buffer.appendJSON(node)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}

extension JSONNode {
  /// The bytes of its texts, and 16 for each value in it; `nil`: more than the limit.
  fileprivate func cost(within limit: Int) -> Int? {
    var cost = 16
    switch kind {
    case .string(let text): cost += text.utf8.count
    case .array(let elements):
      for element in elements {
        guard cost <= limit, let part = element.cost(within: limit - cost) else { return nil }
        cost += part
      }
    case .object(let members):
      for member in members {
        guard cost <= limit, let part = member.value.cost(within: limit - cost) else { return nil }
        cost += part + member.name.utf8.count
      }
    case .null, .bool, .number: break
    }
    return cost <= limit ? cost : nil
  }

  /// What a path such as ".accessories[0].aid" leads to; nil when it leads nowhere. A negative index counts from the end; `.count` is how
  /// many elements there are, `.median` and `.p99` what half and 99 of 100 numbers don't exceed, unless there is a member of that name.
  /// Behind null all is null: what is optional need not be there.
  package func at(_ path: String) -> JSONNode? {
    var node = self
    var rest = path[...]
    if let first = rest.first, first != ".", first != "[" { rest = ".\(rest)"[...] }
    while let first = rest.first {
      if node.isNull { return node }
      rest = rest.dropFirst()
      if first == "[" {
        guard let end = rest.firstIndex(of: "]"), let index = Int(rest[..<end]), let elements = node.elements else {
          return nil
        }
        rest = rest[rest.index(after: end)...]
        let at = index < 0 ? elements.count + index : index
        guard elements.indices.contains(at) else { return nil }
        node = elements[at]
      } else {
        let name = rest.prefix { $0 != "." && $0 != "[" }
        rest = rest.dropFirst(name.count)
        if let member = node[String(name)] {
          node = member
        } else if name == "count", let elements = node.elements {
          node = .integer(elements.count)
        } else if name == "median" || name == "p99", let elements = node.elements {
          guard let number = Self.quantile(name == "median" ? 0.5 : 0.99, of: elements) else { return nil }
          node = .number(number)
        } else {
          return nil
        }
      }
    }
    return node
  }

  /// The least of some numbers that so large a part of them doesn't exceed; nil where there are none.
  private static func quantile(_ part: Double, of nodes: [JSONNode]) -> Double? {
    let numbers = nodes.compactMap { $0.numberValue?.double }.sorted()
    guard !numbers.isEmpty else { return nil }
    return numbers[min(max(Int((Double(numbers.count) * part).rounded(.up)) - 1, 0), numbers.count - 1)]
  }
}
