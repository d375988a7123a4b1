import Foundation
import HomeKit
import TextScreens

/// A new scene: its name, and the values that it writes to the lights.
@MainActor final class SceneEditor: Editor {
  let title = "New Scene"
  private let (home, lights): (HMHome, [HMCharacteristic])
  private var name = ""
  private var values: [HMCharacteristic: NSNumber] = [:]

  init(_ home: HMHome, _ lights: [HMCharacteristic]) { (self.home, self.lights) = (home, lights) }

  func rows(in app: ArriveHomeApp) -> [Screen.Row] {
    [app.field("Name", content: name) { self.name = $0 }]
      + lights.map { characteristic in
        let content = values[characteristic].map { characteristic.text(of: $0) } ?? ""
        return app.field(characteristic.path, content: content) { text in
          self.values[characteristic] = text.isEmpty ? nil : try characteristic.number(from: text)
        }
      } + [
        app.button("Save") {
          try await self.save()
          app.close()
        }
      ]
  }

  private func save() async throws {
    let scene = try await home.addActionSet(named: name)
    for characteristic in lights {
      guard let value = values[characteristic] else { continue }
      try await scene.addAction(HMCharacteristicWriteAction(characteristic: characteristic, targetValue: value))
    }
  }
}
