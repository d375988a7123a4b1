import HAPReport
import HAPWire

/// The data that `haptest rerun` needs to run a case again with the same decisions.
struct EvidenceFile: Equatable {
  var id: String
  /// The seed of the run.
  var seed: UInt64
  /// The number of the repetition in the run, from 0.
  var turn: Int
  var version: String

  static func text(of outcome: CaseOutcome, header: RunHeader?) -> [UInt8] {
    JSONWriter.bytes { json in
      json.object { json in
        json.key("format")
        json.integer(1)
        json.key("id")
        json.string(outcome.description.id)
        json.key("seed")
        json.integer(header?.seed ?? 0)
        json.key("turn")
        json.integer(outcome.turn)
        json.key("target")
        json.string(header?.target ?? "")
        json.key("version")
        json.string(header?.version ?? "")
        json.key("verdict")
        json.string(outcome.verdict.rawValue)
        json.key("message")
        json.string(outcome.message)
      }
    }
  }

  init(_ bytes: [UInt8]) throws(JSONProblem) {
    let node: JSONNode
    do throws(JSONError) { node = try JSONNode.parse(bytes) } catch {
      throw JSONProblem(path: "", place: error.place, message: error.message)
    }
    _ = try node.required("format").asInteger(in: 1...1)
    id = try node.string("id")
    seed = UInt64(try node.required("seed").asInteger(in: 0...Int128(UInt64.max)))
    turn = Int(try node["turn"]?.asInteger(in: 0...999) ?? 0)
    version = try node.optionalString("version") ?? ""
  }
}
