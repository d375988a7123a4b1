import HAPHome
import HAPHomeFile

@testable import HAPHomeKitTesting

extension HomeWorld {
  /// The first home as a `.hashome` document, by lines.
  func document() throws -> [String] {
    guard let home = model.homes.first else { return [] }
    let file = HomeFile(of: home) { [zones] in zones.rules(of: $0) }
    return file.yaml.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}
