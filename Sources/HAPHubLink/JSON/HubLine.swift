import HAPHome
import HAPWire

/// The protocol of a hub's socket: one JSON object per line.
package enum HubProtocol {
  /// The version, which is in the first line of the hub. Another version can't be used.
  package static let version = 1
  /// The greatest length of a line of an app, in bytes. A shared home of 500 accessories has some 8 MB.
  package static let longestRequest = 16 << 20
  /// The greatest length of a line of a hub, in bytes.
  package static let longestMessage = 64 << 20
}

/// A line of an app: `{"id": 1, "request": "perform", "command": …}`.
package struct HubRequestLine: Hashable, Sendable {
  /// The number that the answer has, too: 0 to 2⁵³ - 1.
  package let id: UInt64
  package let request: HubRequest

  package static let greatestID: UInt64 = 1 << 53 - 1

  package init(id: UInt64, _ request: HubRequest) { (self.id, self.request) = (id, request) }

  /// A line that is not a request.
  package struct Refusal: Error, Hashable {
    /// Nil if the line has no valid `id`.
    package let id: UInt64?
    /// 3, with the path and the place of the first mistake.
    package let error: HomeError
  }

  /// Reads a line without its line end.
  package init(_ line: [UInt8]) throws(Refusal) {
    var id: UInt64?
    do throws(HomeError) {
      let node = try JSONNode(line: line)
      do throws(JSONProblem) {
        let number = try UInt64(node.required("id").asInteger(in: 0...Int128(Self.greatestID)))
        id = number
        self.init(id: number, try HubRequest(node, and: ["id"]))
      } catch { throw HomeError(error) }
    } catch { throw Refusal(id: id, error: error) }
  }

  /// The line with its line end.
  package var bytes: [UInt8] { JSONNode.object([("id", .integer(id))] + request.members).line }
}

/// A line of a hub.
package enum HubMessage: Hashable, Sendable {
  /// The first line: `{"protocol": 1}`.
  case hello(version: Int)
  /// `{"id": 1, "answer": "done"}` or `{"id": 1, "error": …}`. Without a number: the error of a line that has none.
  case answer(id: UInt64?, Result<HubAnswer, HomeError>)
  /// `{"event": "missed"}`.
  case event(HubEvent)

  /// Reads a line without its line end.
  /// - Throws: 3, with the path and the place of the first mistake.
  package init(_ line: [UInt8]) throws(HomeError) {
    let node = try JSONNode(line: line)
    do throws(JSONProblem) { try self.init(node) } catch { throw HomeError(error) }
  }

  /// The member that decides about the form of a line.
  private enum Form: String, CaseIterable {
    case hello = "protocol"
    case answer, error, event
  }

  private init(_ node: JSONNode) throws(JSONProblem) {
    switch try node.form("a line of a hub", of: Form.self, and: ["id"]) {
    case .hello:
      try node.refuseUnknownMembers(except: ["protocol"])
      self = .hello(version: try node.required("protocol").number(from: 1))
    case .answer:
      self = .answer(id: try Self.id(try node.required("id")), .success(try HubAnswer(node, and: ["id"])))
    case .error:
      try node.refuseUnknownMembers(except: ["id", "error"])
      self = .answer(
        id: try node.nullable("id", Self.id), .failure(try HomeError(node.required("error"))))
    case .event: self = .event(try HubEvent(node))
    }
  }

  private static func id(_ node: JSONNode) throws(JSONProblem) -> UInt64 {
    UInt64(try node.asInteger(in: 0...Int128(HubRequestLine.greatestID)))
  }

  /// The line with its line end.
  package var bytes: [UInt8] {
    JSONWriter.bytes { json in json.object { json in write(to: &json) } } + [0x0A]
  }

  private func write(to json: inout JSONWriter) {
    switch self {
    case .hello(let version): json.member("protocol", .integer(version))
    case .answer(let id, let result):
      json.key("id")
      if let id { json.integer(id) } else { json.null() }
      switch result {
      case .success(let answer): answer.write(to: &json)
      case .failure(let error): json.member("error", error.node)
      }
    case .event(let event): event.write(to: &json)
    }
  }
}

extension JSONNode {
  /// Parses a line.
  /// - Throws: 3 if it is not JSON.
  fileprivate init(line: [UInt8]) throws(HomeError) {
    do throws(JSONError) {
      self = try JSONNode.parse(line, depthLimit: JSONNode.homeDepthLimit)
    } catch { throw HomeError(.invalidParameter, nil, "not JSON: \(error.message) (at \(error.place))") }
  }

  /// The text with a line end.
  fileprivate var line: [UInt8] { JSONWriter.bytes { $0.node(self) } + [0x0A] }
}
