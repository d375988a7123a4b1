import FuzzSupport
import HAPSuite
import HAPWire
import HAPYAML

/// What is read has a place, is within its limits, and writes as JSON that says the same; and what is JSON is read as JSON.
package func fuzzYAML(_ bytes: UnsafeRawBufferPointer) {
  let bytes = [UInt8](bytes)
  let limit = 2000
  let json = try? JSONNode.parse(bytes)
  do throws(JSONError) {
    let node = try JSONNode.yaml(bytes, nodeLimit: limit)
    require(count(node, at: .root) <= limit, "there are more values than the limit")
    if let json { require(node == json, "JSON is read otherwise") }
    let written = JSONWriter.bytes { $0.node(node) }
    guard let again = try? JSONNode.parse(written) else { fatalError("what was read is no JSON") }
    require(again.says(node), "what was written says something else")
  } catch {
    require(error.place.line >= 1 && error.place.column >= 1 && !error.message.isEmpty)
    if let json { require(count(json, at: .root) > limit, "JSON is refused") }
  }
}

/// Values in the tree, each of which knows its path.
private func count(_ node: JSONNode, at path: JSONPath) -> Int {
  require(node.path == path, "a value has another path than its own")
  require(node.place.line >= 1 && node.place.column >= 1)
  var total = 1
  for (index, element) in (node.elements ?? []).enumerated() {
    total += count(element, at: .element(of: path, index))
  }
  for member in node.members ?? [] { total += count(member.value, at: .member(of: path, member.name)) }
  return total
}
