import HAPCrypto
import HAPIP
import HAPModel
import HAPPairing
import HAPProfile
import HAPWire

/// The first line of a capture: the state of the accessory at the start of the run, including its keys.
package struct CaptureHead {
  var name: String
  var identity: AccessoryIdentity
  var advertisement: Advertisement
  var accessories: [Accessory]
  var pairings: [Pairing]
  var failedAttempts: Int
  var quirks: Quirks
  var live: [AttributeID]
  /// Whether the device checks writes.
  var judges: Bool

  package var text: String {
    JSONWriter.text { json in
      json.object { json in
        json.key("format")
        json.string("hapsim-capture/1")
        json.key("name")
        json.string(name)
        json.key("deviceID")
        json.string(identity.deviceID.text)
        json.key("key")
        json.base64(identity.key.seed.withBytes { Array($0) })
        json.key("salt")
        json.base64(identity.verifier.salt)
        json.key("verifier")
        json.base64(identity.verifier.verifier.withBytes { Array($0) })
        json.key("model")
        json.string(advertisement.model)
        json.key("c#")
        json.integer(advertisement.configurationNumber)
        json.key("category")
        json.integer(advertisement.category)
        if let id = advertisement.setupID {
          json.key("setupID")
          json.string(id.text)
        }
        json.key("pairings")
        json.array { json in
          for pairing in pairings {
            json.object { json in
              json.key("identifier")
              json.base64(pairing.identifier)
              json.key("publicKey")
              json.base64(pairing.publicKey)
              json.key("admin")
              json.bool(pairing.isAdmin)
            }
          }
        }
        json.key("failedTries")
        json.integer(failedAttempts)
        json.key("quirks")
        quirks.write(to: &json)
        json.key("live")
        json.array { json in for id in live { json.string("\(id)") } }
        json.key("judges")
        json.bool(judges)
        json.key("database")
        CaptureText.write(accessories, to: &json)
      }
    }
  }

  package init(
    name: String, identity: AccessoryIdentity, advertisement: Advertisement, accessories: [Accessory],
    pairings: [Pairing],
    failedAttempts: Int, quirks: Quirks, live: [AttributeID], judges: Bool
  ) {
    self.name = name
    self.identity = identity
    self.advertisement = advertisement
    self.accessories = accessories
    self.pairings = pairings
    self.failedAttempts = failedAttempts
    self.quirks = quirks
    self.live = live
    self.judges = judges
  }

  init(_ node: JSONNode) throws(JSONProblem) {
    guard node["format"]?.stringValue == "hapsim-capture/1" else {
      throw node.problem("this is not a hapsim capture")
    }
    name = try node.string("name")
    guard let deviceID = DeviceID(try node.string("deviceID")) else { throw node.problem("deviceID is invalid") }
    let seed = try CaptureText.bytes(node, "key")
    let salt = try CaptureText.bytes(node, "salt")
    let verifier = try CaptureText.bytes(node, "verifier")
    guard seed.count == 32, salt.count == 16, verifier.count == 384 else {
      throw node.problem("key, salt and verifier must have 32, 16 and 384 bytes")
    }
    identity = AccessoryIdentity(
      deviceID: deviceID, key: SigningKey(seed: SecretBytes(seed)),
      verifier: SRPVerifier(salt: salt, verifier: SecretBytes(verifier)))
    pairings = try node.list("pairings") { (node) throws(JSONProblem) in
      let key = try CaptureText.bytes(node, "publicKey")
      guard key.count == 32 else { throw node.problem("a public key must have 32 bytes") }
      return Pairing(
        identifier: try CaptureText.bytes(node, "identifier"), publicKey: key,
        isAdmin: try node.required("admin").asBool())
    }
    advertisement = Advertisement(
      model: try node.string("model"), deviceID: deviceID,
      configurationNumber: UInt16(try node.required("c#").asInteger(in: 0...65535)),
      category: UInt8(try node.required("category").asInteger(in: 0...255)), isPaired: pairings.contains { $0.isAdmin },
      setupID: try node.optionalString("setupID").flatMap(SetupID.init))
    failedAttempts = Int(try node.required("failedTries").asInteger(in: 0...Int128(Int32.max)))
    var problems: [ProfileProblem] = []
    // Captures of earlier versions say "conduct".
    quirks = Quirks(try node.required(node["conduct"] == nil ? "quirks" : "conduct"), problems: &problems)
    if let first = problems.first { throw node.problem("quirks: \(first.message)") }
    live = try CaptureText.ids(node, "live")
    judges = try node.bool("judges", default: false)
    accessories = try CaptureText.accessories(node, "database")
  }

  /// - Throws: if the database is invalid.
  func makeCore(random: RandomSource) throws(JSONProblem) -> AccessoryCore {
    guard let database = try? AttributeDatabase(accessories) else {
      throw JSONProblem(path: "database", place: JSONPlace(line: 1, column: 1), message: "its ids are invalid")
    }
    let core = AccessoryCore(
      identity: identity, advertisement: advertisement, database: database, pairings: pairings,
      failedAttempts: failedAttempts, quirks: quirks.ip, attributeQuirks: quirks.attributes,
      pairingQuirks: quirks.pairing, random: random)
    core.attributes.setLive(live)
    return core
  }
}
