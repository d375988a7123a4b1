import HAPModel
import HAPWire

extension MatterNodeState {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("port")
      json.integer(port)
      codes.write(to: &json)
      json.key("commissioned")
      json.bool(isCommissioned)
      json.key("window")
      if let window { window.write(to: &json) } else { json.null() }
      json.key("fabrics")
      json.array { json in for fabric in fabrics { fabric.write(to: &json) } }
      json.key("sessions")
      json.integer(sessions)
      json.key("subscriptions")
      json.integer(subscriptions)
    }
  }
}

extension MatterCodes {
  /// Writes members of an object.
  fileprivate func write(to json: inout JSONWriter) {
    json.key("payload")
    json.string(payload)
    json.key("manualCode")
    json.string(manualCode)
    json.key("discriminator")
    json.integer(discriminator)
  }
}

extension MatterWindow {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("kind")
      json.string(kind.rawValue)
      json.key("seconds")
      if let seconds { json.integer(seconds) } else { json.null() }
      json.key("fabric")
      if let fabric { json.integer(fabric) } else { json.null() }
      if let codes { return codes.write(to: &json) }
      json.key("discriminator")
      json.integer(discriminator)
    }
  }
}

extension MatterFabric {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("index")
      json.integer(index)
      json.key("label")
      json.string(label)
      json.key("vendor")
      json.integer(vendor)
      for (key, text) in [("fabricID", fabricID), ("nodeID", nodeID), ("compressedID", compressedID)] {
        json.key(key)
        json.string(text)
      }
    }
  }
}
