import HAPModel
import HAPWire

/// The identity of an accessory and its state on the network: the first members of its listing, status and details.
package struct AccessoryHead: Equatable, Sendable {
  package struct Running: Equatable, Sendable {
    package let port: UInt16
    package let hasRadio: Bool
    package let isPaired: Bool
  }
  package let name: String
  package let deviceID: String
  package let category: String
  /// `nil`: it is stopped.
  package let running: Running?
}

/// The part of the answer to `list` for one accessory.
package struct AccessoryListing: Equatable, Sendable {
  /// A bridged accessory.
  package struct Bridged: Equatable, Sendable {
    package let aid: UInt64
    package let name: String
    package let isOnline: Bool
  }
  package let head: AccessoryHead
  /// nil: it is not served over Matter.
  package let matter: MatterNodeState?
  package let bridged: [Bridged]
}

/// The part of the answer to `status` for one accessory.
package struct AccessoryStatus: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    package let id: AttributeID
    package let name: String
    package let value: Value
    /// The catalogue's name for the value.
    package let word: String?
  }
  package struct Running: Equatable, Sendable {
    package let configurationNumber: UInt16
    package let connections: Int
    /// In the form for `--fault`.
    package let faults: [String]
    package let pairings: [Pairing]
    /// nil: it is not served over Matter.
    package let matter: MatterNodeState?
    package let characteristics: [Entry]
  }
  package let head: AccessoryHead
  /// `nil`: it is stopped.
  package let running: Running?
}

// MARK: JSON

extension AccessoryHead {
  /// Writes members of an object.
  func write(to json: inout JSONWriter) {
    json.key("name")
    json.string(name)
    json.key("deviceID")
    json.string(deviceID)
    json.key("category")
    json.string(category)
    json.key("running")
    json.bool(running != nil)
    guard let running else { return }
    json.key("port")
    json.integer(running.port)
    json.key("radio")
    json.bool(running.hasRadio)
    json.key("paired")
    json.bool(running.isPaired)
  }
}

extension AccessoryListing {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      head.write(to: &json)
      json.member(matter)
      guard !bridged.isEmpty else { return }
      json.key("bridged")
      json.array { json in
        for accessory in bridged {
          json.object { json in
            json.key("aid")
            json.integer(accessory.aid)
            json.key("name")
            json.string(accessory.name)
            json.key("online")
            json.bool(accessory.isOnline)
          }
        }
      }
    }
  }
}

extension AccessoryStatus {
  package func write(to json: inout JSONWriter) {
    json.object { json in
      head.write(to: &json)
      guard let running else { return }
      json.key("configurationNumber")
      json.integer(running.configurationNumber)
      json.key("connections")
      json.integer(running.connections)
      json.key("faults")
      json.array { json in for fault in running.faults { json.string(fault) } }
      json.key("pairings")
      json.pairings(running.pairings)
      json.member(running.matter)
      json.key("characteristics")
      json.array { json in for entry in running.characteristics { json.object { entry.write(to: &$0) } } }
    }
  }
}

extension AccessoryStatus.Entry {
  /// Writes members of an object.
  fileprivate func write(to json: inout JSONWriter) {
    json.key("aid")
    json.integer(id.aid)
    json.key("iid")
    json.integer(id.iid)
    json.key("name")
    json.string(name)
    json.key("value")
    json.value(value)
    if let word {
      json.key("word")
      json.string(word)
    }
  }
}

extension JSONWriter {
  /// Writes the member `matter` of an object, if there is one.
  mutating func member(_ matter: MatterNodeState?) {
    guard let matter else { return }
    key("matter")
    matter.write(to: &self)
  }

  /// Writes an array of the pairings, with the controllers' identifiers.
  mutating func pairings(_ pairings: [Pairing]) {
    array { json in
      for pairing in pairings {
        json.object { json in
          json.key("controller")
          json.string(pairing.name)
          json.key("admin")
          json.bool(pairing.isAdmin)
        }
      }
    }
  }
}
