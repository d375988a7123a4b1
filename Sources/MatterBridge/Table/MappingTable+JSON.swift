import HAPModel
import HAPWire
import MatterModel
import MatterWire

extension MappingTable {
  /// Writes the table as an object. Identifiers are numbers.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("endpoints")
      json.array { json in for endpoint in endpoints { endpoint.write(to: &json) } }
      json.key("services")
      json.array { json in
        for service in services {
          json.object { json in
            service.place.writeMembers(to: &json)
            json.key("endpoint")
            json.integer(Int(service.endpoint))
          }
        }
      }
      json.key("omitted")
      json.array { json in
        for omission in omissions {
          json.object { json in
            json.key("kind")
            json.string(omission.isService ? "service" : "characteristic")
            omission.place.writeMembers(to: &json)
            json.key("reason")
            json.string(omission.reason)
          }
        }
      }
    }
  }
}

extension MappingTable.Place {
  fileprivate func writeMembers(to json: inout JSONWriter) {
    json.key("aid")
    json.integer(id.aid)
    json.key("iid")
    json.integer(id.iid)
    json.key("type")
    json.string(type.wireForm)
    json.key("name")
    json.string(name)
    guard let path else { return }
    json.key("path")
    json.string(path)
  }

  fileprivate func write(to json: inout JSONWriter) { json.object { writeMembers(to: &$0) } }
}

extension MappingTable.Named {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("id")
      json.integer(Int64(number))
      guard let name else { return }
      json.key("name")
      json.string(name)
    }
  }
}

extension MappingTable.Endpoint {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("endpoint")
      json.integer(Int(number))
      if let aid {
        json.key("aid")
        json.integer(aid)
      }
      if let service {
        json.key("service")
        service.write(to: &json)
      }
      json.key("deviceTypes")
      json.array { json in for type in deviceTypes { type.write(to: &json) } }
      json.key("parts")
      json.array { json in for part in parts { json.integer(Int(part)) } }
      json.key("clusters")
      json.array { json in for cluster in clusters { cluster.write(to: &json) } }
    }
  }
}

extension MappingTable.Cluster {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("id")
      json.integer(Int64(id))
      if let name {
        json.key("name")
        json.string(name)
      }
      json.key("features")
      json.array { json in for feature in features { json.string(feature) } }
      if let service {
        json.key("service")
        service.write(to: &json)
      }
      json.key("attributes")
      json.array { json in for attribute in attributes { attribute.write(to: &json) } }
      json.key("commands")
      json.array { json in for command in commands { command.write(to: &json) } }
      json.key("events")
      json.array { json in for event in events { event.write(to: &json) } }
      json.key("others")
      json.array { json in for place in others { place.write(to: &json) } }
    }
  }
}

extension MappingTable.Attribute {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("id")
      json.integer(Int64(number))
      if let name {
        json.key("name")
        json.string(name)
      }
      json.key("writable")
      json.bool(isWritable)
      json.key("from")
      json.array { json in for source in sources { source.write(to: &json) } }
      if let conversion {
        json.key("conversion")
        json.string(conversion)
      } else {
        json.key("constant")
        value?.write(to: &json) ?? json.null()
      }
    }
  }
}

extension Element.Value {
  /// Octets are a string of base64; the members of a structure have their tags as names.
  fileprivate func write(to json: inout JSONWriter) {
    switch self {
    case .signed(let value): json.integer(value)
    case .unsigned(let value): json.integer(value)
    case .bool(let value): json.bool(value)
    case .single(let value): json.double(Double(value))
    case .double(let value): json.double(value)
    case .text(let value): json.string(value)
    case .octets(let value): json.base64(value)
    case .null: json.null()
    case .container(.structure, let members):
      json.object { json in
        for member in members {
          if case .context(let tag) = member.tag { json.key("\(tag)") } else { json.key("") }
          member.value.write(to: &json)
        }
      }
    case .container(_, let members): json.array { json in for member in members { member.value.write(to: &json) } }
    }
  }
}
