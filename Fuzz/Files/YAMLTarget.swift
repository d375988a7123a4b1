import FuzzSupport
import HAPSuite
import HAPWire
import HAPYAML

/// Every node that is read has a place, is within the limits, and writes as equivalent JSON and YAML. JSON is read as JSON.
package func fuzzYAML(_ bytes: UnsafeRawBufferPointer) {
  let bytes = [UInt8](bytes)
  let limit = 2000
  let json = try? JSONNode.parse(bytes)
  do throws(JSONError) {
    let node = try JSONNode.yaml(bytes, nodeLimit: limit)
    require(count(node, at: .root) <= limit, "there are more values than the limit")
    if let json { require(node == json, "JSON is read differently") }
    let written = JSONWriter.bytes { $0.node(node) }
    guard let again = try? JSONNode.parse(written) else { fatalError("the written tree is not JSON") }
    require(again.says(node), "the written tree has another content")
    guard let yaml = try? JSONNode.yaml(Array(node.yamlText.utf8), nodeLimit: limit) else {
      fatalError("the written YAML is refused: \(node.yamlText)")
    }
    require(yaml.says(node), "the written YAML has another content: \(node.yamlText)")
  } catch {
    require(error.place.line >= 1 && error.place.column >= 1 && !error.message.isEmpty)
    if let json { require(count(json, at: .root) > limit, "JSON is refused") }
  }
}

/// Counts the values in the tree, and checks that each has its path.
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
