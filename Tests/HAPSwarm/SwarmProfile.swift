import Foundation
import HAPProfile

/// A shipped profile or one of `NodeProfile`, with additional services.
package struct SwarmProfile: Sendable {
  /// Profiles with values that change only by a command or a request.
  private static let names = [
    "light-white", "light-colour", "bridge-two-lights", "fan", "air-purifier", "window-covering", "slats",
  ]

  static func names(of population: SwarmPopulation) -> [String] {
    switch population {
    case .accessories: names
    case .nodes: NodeProfile.allCases.map(\.rawValue)
    }
  }

  package let name: String
  package let revision: Int
  let parsed: AccessoryProfile

  /// - Parameter path: the folder of shipped profiles.
  init(_ name: String, revision: Int = 0) throws {
    self.name = name
    self.revision = revision
    let folder = URL(filePath: #filePath).appending(path: "../../../Profiles").standardized
    let text =
      try NodeProfile(rawValue: name)?.text
      ?? String(contentsOf: folder.appending(path: "\(name).hasaccessory"), encoding: .utf8)
    parsed = try AccessoryProfile(json: Array(Self.grown(text, by: revision).utf8), fileName: name)
  }

  /// Returns the profile with one more service.
  func grown() -> SwarmProfile {
    guard let next = try? SwarmProfile(name, revision: revision + 1) else { preconditionFailure("profile is valid") }
    return next
  }

  private static func grown(_ text: String, by count: Int) -> String {
    guard count > 0, let place = text.range(of: "\"services\": [") else { return text }
    let services = (1...count).map { number in
      """
      { "type": "Switch", "name": "Extra \(number)", "characteristics": [{ "type": "On", "value": false }] },
      """
    }
    return text.replacingCharacters(in: place, with: "\"services\": [" + services.joined(separator: "\n"))
  }
}
