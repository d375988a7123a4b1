/// The behaviour of a real stack.
public struct ConductPreset: Sendable {
  /// The name in profiles and on the command line.
  public let name: String
  /// The stack's project on GitHub, `owner/name`.
  public let project: String
  /// The tag or branch that was read.
  public let release: String
  /// The commit of the release.
  public let commit: String
  /// Where the stack differs from the default, it has another setting.
  public let conduct: Conduct

  init(_ name: String, project: String, release: String, commit: String, _ change: (inout Conduct) -> Void) {
    var conduct = Conduct()
    change(&conduct)
    self.name = name
    self.project = project
    self.release = release
    self.commit = commit
    self.conduct = conduct
  }
}

/// The presets, by name.
public struct ConductPresets: Sendable {
  /// In the order of the documentation.
  public let all: [ConductPreset]

  init(_ all: [ConductPreset]) { self.all = all }

  /// The names, in the order of the documentation.
  public var keys: [String] { all.map(\.name) }

  /// The conduct of this name.
  public subscript(_ name: String) -> Conduct? { all.first { $0.name == name }?.conduct }
}
