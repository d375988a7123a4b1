import HAPAccessoryPort
import HAPController
import HAPCrypto
import HAPHome
import HAPHubLink
import HAPModel
import HAPWire

/// A home for a user with another hub: the home, and how its devices are reached and recognized. It is sealed for the
/// user, and signed by the owner's hub. A `.hashare` file has it as JSON text.
struct ShareDocument: Sendable {
  static let format = "hapsim-share/1"

  /// A device without the keys of a controller.
  struct Device: Hashable, Sendable {
    let id: DeviceID
    let accessoryID: [UInt8]
    let accessoryKey: [UInt8]
    let addresses: [String]
  }

  /// As a copy. The owner and the user have their identities.
  let home: Home
  let copy: HomeCopy
  let devices: [Device]

  var owner: UserController? { home.users[0].controller }

  init(_ home: Home, _ copy: HomeCopy, _ devices: [Device]) {
    (self.home, self.copy, self.devices) = (home, copy, devices)
  }

  // MARK: Writing

  /// The text for a user.
  /// - Returns: nil if the key of the user is no valid point.
  func text(for user: UserController, by owner: ControllerIdentity, _ random: RandomSource) -> String? {
    let content = JSONNode.object([("home", home.node), ("devices", .list(devices.map(\.node)))])
    guard let sealed = SealedMessage(Array(content.compactText.utf8), to: user.publicKey, random) else { return nil }
    let signature = owner.key.sign(Self.signed(sealed, for: user.identifier))
    return JSONNode.object([
      ("format", .text(Self.format)), ("for", .text(user.identifier)), ("owner", owner.controller.node),
      ("key", .text(Base64.encode(sealed.ephemeralKey))), ("sealed", .text(Base64.encode(sealed.bytes))),
      ("signature", .text(Base64.encode(signature))),
    ]).compactText + "\n"
  }

  private static func signed(_ sealed: SealedMessage, for identifier: String) -> [UInt8] {
    Array("\(format)\n\(identifier.utf8.count)\n\(identifier)\n".utf8) + sealed.ephemeralKey + sealed.bytes
  }

  // MARK: Reading

  /// Opens a text.
  /// - Throws: 3 if it is damaged, or for another hub; 55 if the signature is wrong.
  init(_ text: String, openedBy identity: ControllerIdentity) throws(HomeError) {
    let node = try JSONNode(share: text, Self.format, "shared home", advice: "'hapctl home user share'")
    let owner: UserController
    let receiver: String
    let sealed: SealedMessage
    let signature: [UInt8]
    do throws(JSONProblem) {
      try node.refuseUnknownMembers(except: ["format", "for", "owner", "key", "sealed", "signature"])
      owner = try UserController.read(node.required("owner"))
      receiver = try node.string("for")
      sealed = SealedMessage(ephemeralKey: try node.shareBytes("key"), bytes: try node.shareBytes("sealed"))
      signature = try node.shareBytes("signature")
    } catch { throw HomeError(share: error, "shared home") }
    let content = try Self.content(sealed, for: receiver, signature, by: owner, identity)
    do throws(JSONProblem) { try self.init(content: content) } catch {
      throw HomeError(share: error, "content of the shared home")
    }
    guard self.owner == owner, home.users.find(copy.user)?.controller == identity.controller else {
      throw HomeError(
        .invalidParameter, nil, "the shared home names another owner or user than its file: ask its owner for it again")
    }
  }

  private static func content(
    _ sealed: SealedMessage, for receiver: String, _ signature: [UInt8], by owner: UserController,
    _ identity: ControllerIdentity
  ) throws(HomeError) -> JSONNode {
    guard receiver == identity.identifier else {
      throw HomeError(
        .invalidParameter, nil,
        "the shared home is for another hub (\(receiver), and this is \(identity.identifier)): give the owner a request of this hub"
      )
    }
    guard isValidSignature(signature, of: signed(sealed, for: receiver), by: owner.publicKey),
      let plain = sealed.opened(by: identity.key)
    else {
      throw HomeError(
        .messageAuthenticationFailed, nil,
        "the shared home was changed, or is not for this hub: ask its owner for it again")
    }
    do throws(JSONError) {
      return try JSONNode.parse(plain, depthLimit: JSONNode.homeDepthLimit)
    } catch {
      throw HomeError(
        .invalidParameter, nil,
        "the content of the shared home is not JSON (\(error.message)): ask its owner for it again")
    }
  }

  private init(content node: JSONNode) throws(JSONProblem) {
    try node.refuseUnknownMembers(except: ["home", "devices"])
    let place = try node.required("home")
    home = try Home(place)
    guard let copy = home.copy else { throw place.problem("the member \"copy\" is missing") }
    self.copy = copy
    let list = try node.required("devices")
    devices = try list.elements(Device.read)
    guard devices.map(\.id).sorted() == home.devices else {
      throw list.problem("the devices are not those of the accessories")
    }
  }
}

extension ShareDocument.Device {
  fileprivate static func read(_ node: JSONNode) throws(JSONProblem) -> Self {
    try node.refuseUnknownMembers(except: ["device", "accessoryID", "accessoryKey", "addresses"])
    let key = try node.required("accessoryKey")
    let bytes = try key.parsed("base64", Base64.decode)
    guard bytes.count == 32 else { throw key.problem("32 bytes are expected, not \(bytes.count)") }
    let addresses = try node.required("addresses")
    let texts = try addresses.elements(JSONNode.string)
    guard texts.count <= HubLimits.addresses, !texts.contains(where: { $0.contains("\n") }) else {
      throw addresses.problem("at most \(HubLimits.addresses) addresses are expected, of one line")
    }
    return Self(
      id: try JSONNode.deviceID(node.required("device")), accessoryID: try node.shareBytes("accessoryID"),
      accessoryKey: bytes, addresses: texts)
  }

  fileprivate var node: JSONNode {
    .object([
      ("device", .text(id.text)), ("accessoryID", .text(Base64.encode(accessoryID))),
      ("accessoryKey", .text(Base64.encode(accessoryKey))), ("addresses", .list(addresses.map { .text($0) })),
    ])
  }
}

extension JSONNode {
  fileprivate func shareBytes(_ name: String) throws(JSONProblem) -> [UInt8] {
    try required(name).parsed("base64", Base64.decode)
  }
}
