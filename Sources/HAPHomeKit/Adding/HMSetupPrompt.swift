import Foundation

/// The answers of a person, or of a program instead of a person, while an accessory is added. `HMSetupUI.shared` is one.
///
/// Each method may wait as long as it likes. `nil` cancels the whole operation, with the error 23; a pairing that was
/// made is removed. An error that a method throws does the same, and is the error of the operation.
///
/// If an answer is refused, the question comes again. The same answer again ends the operation with the reason.
@MainActor public protocol HMSetupPrompt: Sendable {
  /// Returns the setup code, such as "031-45-154", or the text of the QR code, "X-HM://…".
  func setupCode(for request: HMSetupUI.CodeRequest) async throws -> String?

  /// Returns the accessory to add. The question comes if the code does not show which accessory it belongs to.
  ///
  /// The default takes the only accessory on the network.
  func accessory(among candidates: HMSetupUI.Candidates) async throws -> HMSetupUI.Candidate?

  /// Returns the home that gets the accessory. The question comes if there are several homes.
  ///
  /// The default takes the first home.
  /// - Parameters:
  ///   - homes: the homes of the hub.
  ///   - candidates: the accessory that was detected, if a setup payload is known; otherwise, all that can be added.
  func home(among homes: [HMHome], for candidates: HMSetupUI.Candidates) async throws -> HMHome?

  /// Returns the name and the room of a service. The question comes for each service that apps show.
  ///
  /// The default accepts the suggestions.
  func nameAndRoom(for page: HMSetupUI.Page) async throws -> HMSetupUI.PageAnswer?

  /// Returns the user to invite to a home.
  ///
  /// The default throws the error 23.
  func userToInvite(to home: HMHome) async throws -> HMUserInvitation?
}

extension HMSetupPrompt {
  /// Waits for an accessory, and returns it if it is the only one.
  /// - Throws: 57 if none appears within 30 seconds; 27 if there are several; the problem of the last attempt.
  public func accessory(among candidates: HMSetupUI.Candidates) async throws -> HMSetupUI.Candidate? {
    if let problem = candidates.problem { throw problem }
    let found = await candidates.waitForFirst()
    guard let only = found.first else {
      throw HMError(
        .accessoryDiscoveryFailed,
        "no accessory that can be added was found within \(HMSetupUI.Candidates.patience) s: check that it is on, in the "
          + "same network, and without a pairing")
    }
    guard found.count == 1 else {
      let names = found.map { "\"\($0.name)\"" }.joined(separator: ", ")
      throw HMError(
        .missingParameter,
        "\(found.count) accessories can be added: \(names); give the payload of one, or choose one in HMSetupUI.shared")
    }
    return only
  }

  /// Returns the first home.
  /// - Throws: as the form with a handler.
  public func home(among homes: [HMHome], for candidates: HMSetupUI.Candidates) async throws -> HMHome? { homes.first }

  /// Returns the suggested name and the suggested room.
  /// - Throws: the problem of the last attempt.
  public func nameAndRoom(for page: HMSetupUI.Page) async throws -> HMSetupUI.PageAnswer? {
    if let problem = page.problem { throw problem }
    return page.suggestions
  }

  /// Throws the error 23.
  public func userToInvite(to home: HMHome) async throws -> HMUserInvitation? {
    throw HMError(
      .operationCancelled,
      "nothing answers who is invited to \"\(home.name)\": run the program on a terminal, or set HMSetupUI.shared to a "
        + "prompt that does")
  }
}

/// A user to add to a home.
public struct HMUserInvitation: Hashable, Sendable {
  /// The name of the user.
  public var name: String
  /// Whether the user may edit the home. Other users control it.
  public var isAdministrator: Bool

  /// Creates an invitation.
  public init(name: String, isAdministrator: Bool = false) {
    (self.name, self.isAdministrator) = (name, isAdministrator)
  }
}
