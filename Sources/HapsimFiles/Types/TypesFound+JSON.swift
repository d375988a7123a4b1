import HAPModel
import HAPProfile
import HAPWire

extension TypesFound {
  /// An object on one line: `services`, `characteristics`, `categories`. Empty members are omitted.
  var json: String {
    JSONWriter.text { json in
      json.object { json in
        json.key("services")
        json.array { json in for service in services { service.write(to: &json) } }
        json.key("characteristics")
        json.array { json in for row in characteristics { row.write(to: &json) } }
        json.key("categories")
        json.array { json in
          for category in categories { category.write(to: &json) }
        }
      }
    }
  }
}
