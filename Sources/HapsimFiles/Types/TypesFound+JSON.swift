import HAPModel
import HAPProfile
import HAPWire

extension TypesFound {
  /// One object on one line: `services`, `characteristics`, `categories`. Members that say nothing are left out.
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
