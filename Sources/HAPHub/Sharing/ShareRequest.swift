import HAPController
import HAPCrypto
import HAPHome
import HAPModel
import HAPWire

/// What a user's hub gives to the owner of a home: a name and an identity, signed with its key. A JSON text.
struct ShareRequest: Hashable, Sendable {
  static let format = "hapsim-share-request/1"

  let name: String
  let controller: UserController

  /// Reads a request.
  /// - Throws: 3, with the path and the place of the mistake.
  init(_ text: String) throws(HomeError) {
    let node = try JSONNode(share: text, Self.format, "request to share", advice: "'hapctl home user request'")
    do throws(JSONProblem) {
      try node.refuseUnknownMembers(except: ["format", "name", "controller", "signature"])
      name = try node.string("name")
      controller = try UserController.read(node.required("controller"))
      let signature = try node.required("signature")
      guard
        isValidSignature(
          try signature.parsed("base64", Base64.decode), of: Self.signed(name, controller), by: controller.publicKey)
      else { throw signature.problem("the signature is not valid: the file was changed") }
    } catch { throw HomeError(share: error, "request to share") }
  }

  /// The text of a request.
  static func text(name: String, _ identity: ControllerIdentity) -> String {
    let controller = identity.controller
    return JSONNode.object([
      ("format", .text(format)), ("name", .text(name)), ("controller", controller.node),
      ("signature", .text(Base64.encode(identity.key.sign(signed(name, controller))))),
    ]).compactText + "\n"
  }

  private static func signed(_ name: String, _ controller: UserController) -> [UInt8] {
    Array("\(format)\n\(controller.identifier.utf8.count)\n\(controller.identifier)\n\(name)".utf8)
      + controller.publicKey
  }
}

extension ControllerIdentity {
  /// The public part.
  var controller: UserController {
    guard let controller = UserController(identifier: identifier, publicKey: publicKey) else {
      preconditionFailure("storedIdentity has checked the identifier")
    }
    return controller
  }
}

extension JSONNode {
  /// Parses a file of a share.
  /// - Throws: 3 if it is not JSON, or a file of another kind.
  init(share text: String, _ format: String, _ noun: String, advice: String) throws(HomeError) {
    do throws(JSONError) {
      self = try JSONNode.parse(Array(text.utf8), depthLimit: JSONNode.homeDepthLimit)
    } catch {
      throw HomeError(
        .invalidParameter, nil, "this is no \(noun), but not even JSON: \(error.message) (at \(error.place))")
    }
    guard self["format"]?.stringValue == format else {
      throw HomeError(
        .invalidParameter, nil, "this is no \(noun): the member \"format\" is not \"\(format)\"; \(advice) makes one")
    }
  }
}

extension HomeError {
  init(share problem: JSONProblem, _ noun: String) {
    let path = problem.path.isEmpty ? "" : "\(problem.path): "
    self.init(.invalidParameter, nil, "the \(noun) is not valid: \(path)\(problem.message) (at \(problem.place))")
  }
}
