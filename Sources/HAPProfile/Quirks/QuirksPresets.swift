/// The quirks of a real stack.
public struct QuirksPreset: Sendable {
  /// The name in profiles and on the command line.
  public let name: String
  /// The stack's project on GitHub, `owner/name`.
  public let project: String
  /// The tag or branch that the settings were read from.
  public let release: String
  /// The commit of that tag or branch.
  public let commit: String
  /// The settings. They equal the default except where the stack differs.
  public let quirks: Quirks

  init(_ name: String, project: String, release: String, commit: String, _ change: (inout Quirks) -> Void) {
    var quirks = Quirks()
    change(&quirks)
    self.name = name
    self.project = project
    self.release = release
    self.commit = commit
    self.quirks = quirks
  }
}

/// The presets, by name.
public struct QuirksPresets: Sendable {
  /// In the order of the documentation.
  public let all: [QuirksPreset]

  init(_ all: [QuirksPreset]) { self.all = all }

  /// The names, in the order of the documentation.
  public var keys: [String] { all.map(\.name) }

  /// The quirks of the preset with this name.
  public subscript(_ name: String) -> Quirks? { all.first { $0.name == name }?.quirks }
}
