import HAPIP
import HAPModel
import HAPWire

extension LinkMessage {
  /// Returns the answer of an accessory that can't reach its device: -70402 for every requested characteristic.
  /// - Returns: nil if the request is about no characteristic. Then there is no answer, and the connection closes.
  package static func unreachable(for request: ControllerRequest) -> LinkMessage? {
    guard request.name == "GET /characteristics" || request.name == "PUT /characteristics" else { return nil }
    let ids = request.method == "GET" ? readIDs(request.target) : writtenIDs(request.body ?? [])
    guard !ids.isEmpty else { return nil }
    let body = JSONWriter.bytes { json in
      json.object { json in
        json.key("characteristics")
        json.array { json in
          for id in ids {
            json.object { json in
              json.key("aid")
              json.integer(id.aid)
              json.key("iid")
              json.integer(id.iid)
              json.key("status")
              json.integer(HAPStatus.unableToCommunicate.rawValue)
            }
          }
        }
      }
    }
    return LinkMessage(status: 207, contentType: .hapJSON, body: body)
  }

  private static func readIDs(_ target: String) -> [AttributeID] {
    guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
    var ids: [AttributeID] = []
    [UInt8](target.utf8[target.utf8.index(after: mark)...]).withUnsafeBytes { query in
      if let read = try? ReadQuery(query, limit: 4096) { read.forEachID { ids.append($0) } }
    }
    return ids
  }

  private static func writtenIDs(_ body: [UInt8]) -> [AttributeID] {
    guard let list = (try? JSONNode.parse(body))?["characteristics"]?.elements else { return [] }
    return list.compactMap { entry in
      guard let aid = entry["aid"]?.integerValue.flatMap(UInt64.init(exactly:)),
        let iid = entry["iid"]?.integerValue.flatMap(UInt64.init(exactly:))
      else { return nil }
      return AttributeID(aid: aid, iid: iid)
    }
  }
}
