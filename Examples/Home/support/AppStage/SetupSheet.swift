import HomeKit
import TextScreens

/// The screens that the system shows while an accessory is added, or a user is invited.
///
/// On Apple's systems they belong to the system, and no app draws them. Here they are a prompt of the facade.
@MainActor final class SetupSheet: HMSetupPrompt {
  /// The present question as a screen; nil: the system asks nothing.
  private var draw: (() -> Screen)?
  /// The content of the fields of the present question.
  private var (page, invitation) = (HMSetupUI.PageAnswer(name: "", room: ""), HMUserInvitation(name: ""))
  /// Called when a question appears.
  var onQuestion: () -> Void = {}

  nonisolated init() {}

  /// The present screen; nil: the system asks nothing.
  var screen: Screen? { draw?() }

  // MARK: Questions

  func setupCode(for request: HMSetupUI.CodeRequest) async throws -> String? {
    let accessory = request.accessory.map { "\($0.name) (\($0.category.localizedDescription))" }
    return await ask { answer in
      Screen(
        "Add Accessory to \(request.home.name)", alert: request.problem?.localizedDescription,
        rows: (accessory.map { [.text($0)] } ?? []) + [
          .field("Setup Code or Payload") { answer($0) },
          .button("Cancel") { answer(nil) },
        ])
    }
  }

  func accessory(among candidates: HMSetupUI.Candidates) async throws -> HMSetupUI.Candidate? {
    await ask { answer in
      // The list of the moment: accessories appear and disappear while the person looks at it.
      let found = candidates.found.sorted { $0.name < $1.name }
      return Screen(
        "Choose an Accessory", alert: candidates.problem?.localizedDescription,
        rows: found.map { candidate in
          .button(candidate.name, detail: candidate.category.localizedDescription) { answer(candidate) }
        } + [.button("Cancel") { answer(nil) }])
    }
  }

  func home(among homes: [HMHome], for candidates: HMSetupUI.Candidates) async throws -> HMHome? {
    await ask { answer in
      let detected = candidates.found.count == 1 ? candidates.found.first : nil
      return Screen(
        "Choose a Home",
        rows: (detected.map { [.text("Detected: \($0.name) (\($0.category.localizedDescription))")] } ?? [])
          + homes.map { home in .button(home.name) { answer(home) } } + [.button("Cancel") { answer(nil) }])
    }
  }

  func nameAndRoom(for page: HMSetupUI.Page) async throws -> HMSetupUI.PageAnswer? {
    self.page = page.suggestions
    return await ask { [self] answer in
      Screen(
        "\(page.accessory.name) (\(page.service.localizedDescription))",
        alert: page.problem?.localizedDescription,
        rows: [
          .field("Name", content: self.page.name) { self.page.name = $0 },
          .field("Room", content: self.page.room) { self.page.room = $0 },
          .text("Rooms: \(page.rooms.map(\.name).joined(separator: ", "))"),
          .button("Done") { answer(self.page) },
          .button("Cancel") { answer(nil) },
        ])
    }
  }

  func userToInvite(to home: HMHome) async throws -> HMUserInvitation? {
    invitation = HMUserInvitation(name: "")
    return await ask { [self] answer in
      Screen(
        "Invite to \(home.name)",
        rows: [
          .field("Name", content: invitation.name) { self.invitation.name = $0 },
          .button("May Edit", detail: invitation.isAdministrator ? "yes" : "no") {
            self.invitation.isAdministrator.toggle()
          },
          .button("Invite") { answer(self.invitation) },
          .button("Cancel") { answer(nil) },
        ])
    }
  }

  /// Shows a question until the person answers it.
  private func ask<Answer: Sendable>(
    _ draw: @escaping @MainActor (@escaping @MainActor @Sendable (Answer?) -> Void) -> Screen
  ) async -> Answer? {
    await withCheckedContinuation { continuation in
      self.draw = { [unowned self] in
        draw { answer in
          self.draw = nil
          continuation.resume(returning: answer)
        }
      }
      onQuestion()
    }
  }
}
