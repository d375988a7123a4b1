import Foundation

/// A prompt that takes the answers from functions, for tests and for programs without a person.
///
/// ```swift
/// try await HMSetupUI.withPrompt(HMSetupAnswers(code: "031-45-154", room: { _ in "Kitchen" })) {
///   try await HMAccessorySetupManager().performAccessorySetup(using: HMAccessorySetupRequest())
/// }
/// ```
public struct HMSetupAnswers: HMSetupPrompt {
  private let code: @MainActor @Sendable (HMSetupUI.CodeRequest) async throws -> String?
  private let name: @MainActor @Sendable (HMSetupUI.Page) async throws -> String?
  private let room: @MainActor @Sendable (HMSetupUI.Page) async throws -> String?
  private let chooseAccessory: (@MainActor @Sendable (HMSetupUI.Candidates) async throws -> HMSetupUI.Candidate?)?
  private let chooseHome: (@MainActor @Sendable ([HMHome], HMSetupUI.Candidates) async throws -> HMHome?)?
  private let user: (@MainActor @Sendable (HMHome) async throws -> HMUserInvitation?)?

  /// Creates a prompt. A function that returns nil cancels the operation, with the error 23.
  /// - Parameters:
  ///   - code: returns the setup code or the payload.
  ///   - name: returns the name of a service; by default, the suggested one. If its answer is refused, it is called
  ///     again, with the reason.
  ///   - room: returns the name of a room; by default, of the suggested one. A room that the home does not have is added.
  ///   - accessory: chooses the accessory; by default, the only one on the network.
  ///   - home: chooses the home; by default, the first one.
  ///   - user: returns the user to invite; by default, it throws the error 23.
  public nonisolated init(
    code: @escaping @MainActor @Sendable (HMSetupUI.CodeRequest) async throws -> String?,
    name: @escaping @MainActor @Sendable (HMSetupUI.Page) async throws -> String? = { $0.suggestedName },
    room: @escaping @MainActor @Sendable (HMSetupUI.Page) async throws -> String? = { $0.suggestedRoom.name },
    accessory: (@MainActor @Sendable (HMSetupUI.Candidates) async throws -> HMSetupUI.Candidate?)? = nil,
    home: (@MainActor @Sendable ([HMHome], HMSetupUI.Candidates) async throws -> HMHome?)? = nil,
    user: (@MainActor @Sendable (HMHome) async throws -> HMUserInvitation?)? = nil
  ) {
    (self.code, self.name, self.room) = (code, name, room)
    (chooseAccessory, chooseHome, self.user) = (accessory, home, user)
  }

  /// Creates a prompt with one setup code or payload, as for ``init(code:name:room:accessory:home:user:)``.
  public nonisolated init(
    code: String,
    name: @escaping @MainActor @Sendable (HMSetupUI.Page) async throws -> String? = { $0.suggestedName },
    room: @escaping @MainActor @Sendable (HMSetupUI.Page) async throws -> String? = { $0.suggestedRoom.name },
    accessory: (@MainActor @Sendable (HMSetupUI.Candidates) async throws -> HMSetupUI.Candidate?)? = nil,
    home: (@MainActor @Sendable ([HMHome], HMSetupUI.Candidates) async throws -> HMHome?)? = nil,
    user: (@MainActor @Sendable (HMHome) async throws -> HMUserInvitation?)? = nil
  ) {
    self.init(code: { _ in code }, name: name, room: room, accessory: accessory, home: home, user: user)
  }

  /// Calls the function for the code.
  /// - Throws: as the form with a handler.
  public func setupCode(for request: HMSetupUI.CodeRequest) async throws -> String? { try await code(request) }

  /// Calls the function for the accessory.
  /// - Throws: as the form with a handler.
  public func accessory(among candidates: HMSetupUI.Candidates) async throws -> HMSetupUI.Candidate? {
    guard let chooseAccessory else { return try await ScriptPrompt(code: nil).accessory(among: candidates) }
    return try await chooseAccessory(candidates)
  }

  /// Calls the function for the home.
  /// - Throws: as the form with a handler.
  public func home(among homes: [HMHome], for candidates: HMSetupUI.Candidates) async throws -> HMHome? {
    guard let chooseHome else { return homes.first }
    return try await chooseHome(homes, candidates)
  }

  /// Calls the functions for the name and the room.
  /// - Throws: as the form with a handler.
  public func nameAndRoom(for page: HMSetupUI.Page) async throws -> HMSetupUI.PageAnswer? {
    guard let name = try await name(page), let room = try await room(page) else { return nil }
    return HMSetupUI.PageAnswer(name: name, room: room)
  }

  /// Calls the function for the user.
  /// - Throws: as the form with a handler.
  public func userToInvite(to home: HMHome) async throws -> HMUserInvitation? {
    guard let user else { return try await ScriptPrompt(code: nil).userToInvite(to: home) }
    return try await user(home)
  }
}
