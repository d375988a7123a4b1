import HAPPreparation
import HAPCommandLine
import HAPCrypto
import HAPFleet
import HAPHost
import HAPLoop
import HAPProfile
import HAPStore

/// Somebody wants an end before everything is served.
package struct StoppedEarly: Error {
  package init() {}
}

/// The accessories that this process is to serve, of which profiles they are made, and how.
package struct Roster {
  package struct Entry: Sendable {
    /// Among the profiles.
    package let profile: Int
    package var choices: PreparedAccessory.Choices
    /// Its group's profile and number in it are told by its name. nil: the name is the profile's, or chosen.
    package var name: String? { choices.copy?.name }
  }

  package let profiles: [AccessoryProfile]
  package let entries: [Entry]

  package init(_ profiles: [AccessoryProfile], _ entries: [Entry]) {
    self.profiles = profiles
    self.entries = entries
  }

  /// Each profile once.
  package init(_ profiles: [AccessoryProfile], choices: PreparedAccessory.Choices) {
    self.profiles = profiles
    entries = profiles.indices.map { Entry(profile: $0, choices: choices) }
  }

  /// So many copies of each profile, those of this shard.
  /// - Throws: for a profile of which there can be one only, and for names that are too long.
  package init(
    _ profiles: [AccessoryProfile], copies count: Int, choices: PreparedAccessory.Choices, _ options: RunOptions
  ) throws(UsageError) {
    self.profiles = profiles
    var entries: [Entry] = []
    for (index, profile) in profiles.enumerated() {
      if let other = profiles[..<index].first(where: { $0.key == profile.key }) {
        throw UsageError(
          "\(profile.fileName): its copies couldn't be told from those of \(other.fileName): an \"id\" of its own in the profile makes them others, as it does in a group of hapsim fleet"
        )
      }
      if let problem = Self.obstacle(to: profile, beside: profiles[..<index], copies: count, options.identity != nil) {
        throw UsageError("\(profile.fileName): \(problem)")
      }
      let pattern = try options.namePattern(count) ?? NamePattern(of: profile.name, count: count)
      if let problem = AccessoryProfile.problem(withName: pattern.name(count)) {
        throw UsageError("--name: \"\(pattern.name(count))\": \(problem)")
      }
      for number in 1...count where options.shard.has(index * count + number - 1) {
        var choices = choices
        choices.name = nil
        choices.copy = AccessoryCopy(
          group: profile.key, number: number, name: pattern.name(number),
          identity: options.identity.map { CopyIdentity($0, group: profile.key, number: number) })
        entries.append(Entry(profile: index, choices: choices))
      }
    }
    self.entries = entries
  }

  /// What keeps there from being so many accessories of a profile.
  /// - Parameters:
  ///   - others: of which accessories are made besides.
  ///   - hasIdentity: whether copies are made of an identity.
  package static func obstacle(
    to profile: AccessoryProfile, beside others: some Sequence<AccessoryProfile>, copies count: Int, _ hasIdentity: Bool
  ) -> String? {
    if let deviceID = profile.deviceID {
      if count > 1 || others.contains(where: { $0.deviceID == deviceID }) {
        return "its device ID is \(deviceID.text), which several accessories can't share"
      }
      if hasIdentity { return "its device ID is \(deviceID.text), and the identity would make it another" }
    }
    guard count > 1 else { return nil }
    return profile.faultChoices.first { $0.jump != nil }.map {
      "its fault \($0.name) would move the time of all accessories, once for each copy"
    }
  }

  /// More are prepared by all cores.
  private static let few = 48

  package var isLarge: Bool { entries.count > Self.few }

  /// Makes all of them ready, by as many threads as there are cores where there are many.
  /// - Throws: what keeps one of them from being served, and `StoppedEarly`; then none is taken.
  package func prepare(
    in folder: StateFolder, _ random: RandomSource, until stopped: StopRequest
  ) throws -> [PreparedAccessory] {
    guard isLarge else { return try prepare(entries, in: folder, random, until: stopped) }
    let (count, workers) = (entries.count, Workers.cores)
    return try folder.gathering {
      let parts = try Workers.perform(workers) { [self] number in
        try prepare(
          Array(entries[count * number / workers..<count * (number + 1) / workers]), in: folder, random,
          until: stopped)
      }
      return parts.flatMap { $0 }
    }
  }

  private func prepare(
    _ entries: [Entry], in folder: StateFolder, _ random: RandomSource, until stopped: StopRequest
  ) throws -> [PreparedAccessory] {
    // Judged once, however many are made of it.
    var servable: [Int: ServableProfile] = [:]
    return try entries.map { entry in
      if stopped.isRequested { throw StoppedEarly() }
      let profile = try servable[entry.profile] ?? ServableProfile(profiles[entry.profile])
      servable[entry.profile] = profile
      return try PreparedAccessory(profile, in: folder, choices: entry.choices, random: random)
    }
  }
}
