import HAPWire

/// The variables of a case, and their values.
package struct Scope: Sendable {
  private var values: [String: JSONNode] = [:]

  package init() {}

  package subscript(_ name: String) -> JSONNode? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// Replaces variables by their values, in the texts and the member names of a tree. A text that consists of one variable
  /// becomes the variable's value of any kind. Inside other text, the value is written out.
  /// - Throws: if a variable has no value, or the result is larger than `limit`.
  package func resolve(_ node: JSONNode) throws(StepError) -> JSONNode {
    let result = try substituted(node)
    guard result.cost(within: Self.limit) != nil else {
      throw StepError(node, "with its variables, this value has more than \(Self.limit) bytes, which is the limit")
    }
    return result
  }

  /// The limit on the size of a value: 64 MiB. The size is the bytes of its texts, plus 16 for each value in it. Without a limit, a variable
  /// that is repeatedly added to itself could fill the memory.
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
        throw StepError(node, "a variable has no closing brace: \(text)")
      }
      let value = try value(of: String(rest[start.upperBound..<end]), at: node)
      rest = rest[rest.index(after: end)...]
      if result.isEmpty, before.isEmpty, rest.isEmpty {
        return JSONNode(value.kind, place: node.place, path: node.path)
      }
      result += before + Self.text(value)
      guard result.utf8.count <= Self.limit else {
        throw StepError(node, "with its variables, this value has more than \(Self.limit) bytes, which is the limit")
      }
    }
    return JSONNode(.string(result + rest), place: node.place, path: node.path)
  }

  /// Returns the value at a path such as "on.id" or "db.accessories[0].aid".
  private func value(of path: String, at node: JSONNode) throws(StepError) -> JSONNode {
    // The "?" in "light.Brightness.id?" means: `null` if the path leads nowhere.
    let isOptional = path.hasSuffix("?")
    let path = isOptional ? String(path.dropLast()) : path
    let name = String(path.prefix { $0 != "." && $0 != "[" })
    guard let start = values[name] else { throw StepError(node, "the variable \"\(name)\" has no value") }
    guard let value = start.at(String(path.dropFirst(name.count))) else {
      if isOptional { return JSONNode(.null) }
      throw StepError(node, "\"\(path)\" has no value")
    }
    return value
  }

  /// Returns the ids in a node: texts, subjects that a `find` found, and lists of either.
  package static func ids(_ node: JSONNode) -> [String] {
    if let elements = node.elements { return elements.flatMap(ids) }
    if node.isNull { return [] }
    return [node["id"]?.stringValue ?? text(node)]
  }

  /// Returns a value as it is written inside text.
  package static func text(_ node: JSONNode) -> String {
    if let text = node.stringValue { return text }
    var buffer = ByteBuffer()
    buffer.appendJSON(node)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}

extension JSONNode {
  /// Returns the number of bytes of the node's texts, plus 16 for each value in the node; `nil`: more than the limit.
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

  /// Returns the value at a path such as ".accessories[0].aid"; `nil` if the path leads nowhere. A negative index counts from the end.
  /// Without a member of that name, `.count` is the number of elements, and `.median` and `.p99` are quantiles of a list of numbers.
  /// Every path below `null` yields `null`, because an optional subject may be missing.
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

  /// Returns a quantile: the smallest of the numbers that is at least as large as the given part of them; `nil` without
  /// numbers.
  private static func quantile(_ part: Double, of nodes: [JSONNode]) -> Double? {
    let numbers = nodes.compactMap { $0.numberValue?.double }.sorted()
    guard !numbers.isEmpty else { return nil }
    return numbers[min(max(Int((Double(numbers.count) * part).rounded(.up)) - 1, 0), numbers.count - 1)]
  }
}
