import Foundation
import HomeKit
import TextScreens

/// Scenes for coming and leaving, and a trigger that runs one of them when the person comes home.
@MainActor public final class ArriveHomeApp: TextApp {
  private let store: HomeStore
  /// The scene or the trigger that the person makes; nil: the home is visible.
  private var editor: (any Editor)?
  /// The reason why the last tap failed; nil: it did not.
  private var alert: String?

  /// Starts the app.
  public init(manager: HMHomeManager = HMHomeManager()) { store = HomeStore(manager: manager) }

  /// The present screen.
  public var screen: Screen {
    guard let home = store.home else { return Screen("Arrive Home", rows: [.text("Loading…")]) }
    if let editor {
      return Screen(editor.title, alert: alert, rows: editor.rows(in: self) + [.button("Cancel") { self.close() }])
    }
    let values = (store.states + store.lights).map { "\($0.path): \($0.text(of: $0.value))" }
    return Screen(
      home.name, alert: alert,
      rows: values.map { .text($0) }
        + store.scenes.map { scene in
          button("Run \(scene.name)") { try await home.executeActionSet(scene) }
        }
        + home.triggers.map { .text("Trigger \(text(of: $0))") } + [
          button("New Scene") { self.editor = SceneEditor(home, self.store.lights) },
          button("New Trigger") { self.editor = TriggerEditor(home, self.store) },
        ])
  }

  private func text(of trigger: HMTrigger) -> String {
    let scenes = trigger.actionSets.map(\.name).joined(separator: ", ")
    return "\(trigger.name): \(trigger.isEnabled ? "enabled" : "disabled"), runs \(scenes)"
  }

  // MARK: Editors

  /// Closes the editor. Its unsaved content is lost.
  func close() { (editor, alert) = (nil, nil) }

  /// A button with an effect that can fail.
  func button(_ label: String, detail: String = "", action: @escaping @MainActor () async throws -> Void) -> Screen.Row
  {
    .button(label, detail: detail) { await self.attempt(action) }
  }

  /// A field with an effect that can fail.
  func field(
    _ label: String, content: String = "", commit: @escaping @MainActor (String) throws -> Void
  ) -> Screen.Row {
    .field(label, content: content) { text in await self.attempt { try commit(text) } }
  }

  private func attempt(_ body: () async throws -> Void) async {
    alert = nil
    do { try await body() } catch { alert = error.localizedDescription }
  }
}

/// A page on which a person makes an object. Nothing is in the home before the end.
@MainActor protocol Editor: AnyObject {
  var title: String { get }
  func rows(in app: ArriveHomeApp) -> [Screen.Row]
}
