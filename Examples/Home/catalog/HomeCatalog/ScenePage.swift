import Foundation
import HomeKit
import TextScreens

/// A scene: the values that it writes. HomeKit calls it an action set.
@MainActor final class ScenePage: Page {
  private let (scene, home): (HMActionSet, HMHome)
  var title: String { scene.name }

  init(_ scene: HMActionSet, in home: HMHome) { (self.scene, self.home) = (scene, home) }

  func rows(in app: CatalogApp) -> [Screen.Row] {
    let (scene, home) = (scene, home)
    var rows = [app.field("Name", content: scene.name) { try await scene.updateName($0) }]
    for characteristic in home.shownCharacteristics where characteristic.isWritable {
      let action = self.action(for: characteristic)
      let content = action.map { characteristic.text(of: $0.targetValue) } ?? ""
      rows.append(
        app.field(characteristic.path, content: content) { try await self.set(characteristic, to: $0) })
    }
    rows.append(app.button("Execute") { try await home.executeActionSet(scene) })
    if scene.actionSetType == HMActionSetTypeUserDefined {
      rows.append(app.removal("Remove Scene") { try await home.removeActionSet(scene) })
    }
    return rows
  }

  private func action(for characteristic: HMCharacteristic) -> HMCharacteristicWriteAction<NSCopying>? {
    scene.actions.lazy.compactMap { $0 as? HMCharacteristicWriteAction<NSCopying> }
      .first { $0.characteristic == characteristic }
  }

  /// Sets the value of a characteristic in the scene; an empty text removes it from the scene.
  private func set(_ characteristic: HMCharacteristic, to text: String) async throws {
    let value = characteristic.value(from: text)
    switch action(for: characteristic) {
    case let action? where text.isEmpty: try await scene.removeAction(action)
    case let action?: try await action.updateTargetValue(value)
    case nil where text.isEmpty: break
    case nil:
      try await scene.addAction(HMCharacteristicWriteAction(characteristic: characteristic, targetValue: value))
    }
  }
}
