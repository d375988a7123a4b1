/// Line and column in a text, both starting at 1. Columns count characters (Unicode scalars).
package struct JSONPlace: Hashable, Sendable, CustomStringConvertible {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package var description: String { "\(line):\(column)" }

  /// The place of the byte at `offset`.
  package init(offset: Int, in bytes: UnsafeRawBufferPointer) {
    var cursor = Cursor()
    self = cursor.place(of: offset, in: bytes)
  }

  /// Finds places in ascending order, examining each byte once.
  struct Cursor {
    private var offset = 0
    private var place = JSONPlace(line: 1, column: 1)

    mutating func place(of target: Int, in bytes: UnsafeRawBufferPointer) -> JSONPlace {
      while offset < min(target, bytes.count) {
        if bytes[offset] == 0x0A {
          place = JSONPlace(line: place.line + 1, column: 1)
        } else if bytes[offset] & 0xC0 != 0x80 {
          place.column += 1
        }
        offset += 1
      }
      return place
    }
  }
}

/// The location of a value in its document: `services[0].characteristics[2].maxValue`.
package struct JSONPath: Hashable, Sendable, CustomStringConvertible {
  package enum Step: Hashable, Sendable {
    case member(String)
    case element(Int)
  }

  /// The last step, and the steps before it, which other paths may share.
  ///
  /// An indirect enum would mark its references with tag bits. The leak sanitizer does not follow such a reference,
  /// and reports a path that a global variable keeps.
  private final class Link: Sendable {
    let parent: Link?
    /// Nil: the step is to the element at `index`.
    let name: String?
    let index: Int

    init(after parent: Link?, name: String?, index: Int) {
      self.parent = parent
      self.name = name
      self.index = index
    }
  }

  /// Nil: the document's root.
  private let last: Link?

  private init(last: Link?) { self.last = last }

  package static var root: JSONPath { JSONPath(last: nil) }

  package static func member(of parent: JSONPath, _ name: String) -> JSONPath {
    JSONPath(last: Link(after: parent.last, name: name, index: 0))
  }

  package static func element(of parent: JSONPath, _ index: Int) -> JSONPath {
    JSONPath(last: Link(after: parent.last, name: nil, index: index))
  }

  /// The steps from the root to the value.
  package var steps: [Step] {
    var steps: [Step] = []
    var link = last
    while let step = link {
      steps.append(step.name.map(Step.member) ?? .element(step.index))
      link = step.parent
    }
    steps.reverse()
    return steps
  }

  package var description: String {
    var text = ""
    for (index, step) in steps.enumerated() {
      switch step {
      case .member(let name): text += index == 0 ? name : ".\(name)"
      case .element(let index): text += "[\(index)]"
      }
    }
    return text
  }

  package static func == (a: JSONPath, b: JSONPath) -> Bool { a.last === b.last || a.steps == b.steps }

  package func hash(into hasher: inout Hasher) { hasher.combine(steps) }
}

/// The reason why a text is not JSON (or not YAML, which is parsed to the same tree), and the place.
package struct JSONError: Error, Equatable, Sendable {
  package var place: JSONPlace
  package var message: String

  package init(place: JSONPlace, message: String) {
    self.place = place
    self.message = message
  }
}

/// The reason why a JSON document is not as required: the path and place of a value, and the error.
package struct JSONProblem: Error, Equatable, Sendable {
  package var path: String
  package var place: JSONPlace
  package var message: String

  package init(path: String, place: JSONPlace, message: String) {
    self.path = path
    self.place = place
    self.message = message
  }
}

/// A JSON value with its place in the text.
package struct JSONNode: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Number)
    case string(String)
    case array([JSONNode])
    case object([Member])
  }

  /// A number in its original text. `1.0` is not an integer.
  package struct Number: Equatable, Sendable {
    package var text: String
    package var isInteger: Bool
    /// Nil for a fraction, and for an integer that does not fit into `Int128`.
    package var integer: Int128?
    /// Infinite if it is too large.
    package var double: Double

    /// - Parameter text: in JSON's form.
    package init(text: String, isInteger: Bool, integer: Int128?, double: Double) {
      self.text = text
      self.isInteger = isInteger
      self.integer = integer
      self.double = double
    }
  }

  package struct Member: Equatable, Sendable {
    package var name: String
    package var place: JSONPlace
    package var value: JSONNode

    package init(name: String, place: JSONPlace, value: JSONNode) {
      self.name = name
      self.place = place
      self.value = value
    }
  }

  package var kind: Kind
  package var place: JSONPlace
  package var path: JSONPath

  package init(_ kind: Kind, place: JSONPlace = JSONPlace(line: 1, column: 1), path: JSONPath = .root) {
    self.kind = kind
    self.place = place
    self.path = path
  }

  /// Parses one complete text. Two members of the same name in one object are an error.
  package static func parse(_ bytes: [UInt8], depthLimit: Int = 64) throws(JSONError) -> JSONNode {
    let result = bytes.withUnsafeBytes { raw in
      var builder = JSONNodeBuilder(JSONReader(raw, depthLimit: depthLimit))
      return Result { () throws(JSONError) in try builder.document() }
    }
    return try result.get()
  }
}

/// Builds nodes from tokens; recursion ends at the reader's depth limit.
private struct JSONNodeBuilder {
  private var reader: JSONReader
  private var cursor = JSONPlace.Cursor()

  init(_ reader: JSONReader) { self.reader = reader }

  mutating func document() throws(JSONError) -> JSONNode {
    let node = try value(try next(), .root)
    _ = try next()
    return node
  }

  private mutating func next() throws(JSONError) -> JSONReader.Token {
    do {
      return try reader.next()
    } catch {
      throw JSONError(place: cursor.place(of: error.offset, in: reader.bytes), message: error.message)
    }
  }

  private mutating func value(_ token: JSONReader.Token, _ path: JSONPath) throws(JSONError) -> JSONNode {
    let place = cursor.place(of: reader.tokenStart, in: reader.bytes)
    switch token {
    case .null: return JSONNode(.null, place: place, path: path)
    case .bool(let bool): return JSONNode(.bool(bool), place: place, path: path)
    case .string(let text): return JSONNode(.string(reader.string(text)), place: place, path: path)
    case .number(let number):
      let text = String(decoding: UnsafeRawBufferPointer(rebasing: reader.bytes[number.range]), as: UTF8.self)
      let value = JSONNode.Number(
        text: text, isInteger: number.isInteger, integer: reader.integer(number),
        double: reader.double(number) ?? (number.isNegative ? -.infinity : .infinity))
      return JSONNode(.number(value), place: place, path: path)
    case .beginArray:
      var elements: [JSONNode] = []
      while true {
        let token = try next()
        if token == .endArray { return JSONNode(.array(elements), place: place, path: path) }
        elements.append(try value(token, .element(of: path, elements.count)))
      }
    case .beginObject:
      var members: [JSONNode.Member] = []
      var names: Set<String> = []
      while case .key(let text) = try next() {
        let name = reader.string(text)
        let keyPlace = cursor.place(of: reader.tokenStart, in: reader.bytes)
        guard names.insert(name).inserted else {
          throw JSONError(place: keyPlace, message: "\"\(name)\" occurs twice in one object")
        }
        members.append(.init(name: name, place: keyPlace, value: try value(try next(), .member(of: path, name))))
      }
      return JSONNode(.object(members), place: place, path: path)
    case .endArray, .endObject, .key, .end: preconditionFailure("the reader returns these only where they are valid")
    }
  }
}
