import HapsimFiles
import HAPPreparation
import HAPCommandLine
import HAPFleet
import HAPHost
import HAPLoop
import HAPProfile
import HAPStore

/// A request to stop arrived before all accessories were served.
package struct StoppedEarly: Error {
  package init() {}
}

/// The accessories that this process must serve, their profiles and their settings.
package struct ServePlan {
  package struct Entry: Sendable {
    /// The index of the profile.
    package let profile: Int
    package var choices: PreparedAccessory.Choices
    /// The name, which depends on the group's profile and the copy's number. nil: the name of the profile, or a chosen
    /// one.
    package var name: String? { choices.copy?.name }
  }

  package let profiles: [AccessoryProfile]
  package let entries: [Entry]

  package init(_ profiles: [AccessoryProfile], _ entries: [Entry]) {
    self.profiles = profiles
    self.entries = entries
  }

  /// Creates a plan with each profile once.
  package init(_ profiles: [AccessoryProfile], choices: PreparedAccessory.Choices) {
    self.profiles = profiles
    entries = profiles.indices.map { Entry(profile: $0, choices: choices) }
  }

  /// Creates a plan with a number of copies of each profile, limited to this shard.
  /// - Throws: for a profile that permits only one accessory, and for names that are too long.
  package init(
    _ profiles: [AccessoryProfile], copies count: Int, choices: PreparedAccessory.Choices, _ options: RunOptions
  ) throws(UsageError) {
    self.profiles = profiles
    var entries: [Entry] = []
    for (index, profile) in profiles.enumerated() {
      if let other = profiles[..<index].first(where: { $0.key == profile.key }) {
        throw UsageError(
          "\(profile.fileName): its copies would have the same identities as those of \(other.fileName); give the profile, or its group in hapsim fleet, a different \"id\""
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

  /// Returns the reason why a profile can't have this number of accessories.
  /// - Parameters:
  ///   - others: the other profiles.
  ///   - hasIdentity: whether copies are derived from an identity.
  package static func obstacle(
    to profile: AccessoryProfile, beside others: some Sequence<AccessoryProfile>, copies count: Int, _ hasIdentity: Bool
  ) -> String? {
    if let deviceID = profile.deviceID {
      if count > 1 || others.contains(where: { $0.deviceID == deviceID }) {
        return "its device ID is \(deviceID.text), which several accessories can't share"
      }
      if hasIdentity { return "its device ID is \(deviceID.text), but the identity would give it a different one" }
    }
    guard count > 1 else { return nil }
    return profile.faultChoices.first { $0.jump != nil }.map {
      "its fault \($0.name) would advance the time of all accessories once for each copy"
    }
  }

  /// The number of accessories above which all cores prepare them.
  private static let few = 48

  package var isLarge: Bool { entries.count > Self.few }

  /// Prepares all accessories. If there are many, as many threads as cores do it.
  /// - Throws: the reason why an accessory can't be served, or `StoppedEarly`. No accessory is used then.
  package func prepare(
    in folder: StateFolder, _ host: any RunHost, until stopped: StopRequest
  ) throws -> [PreparedAccessory] {
    guard isLarge else { return try prepare(entries, in: folder, host, until: stopped) }
    let (count, workers) = (entries.count, Workers.cores)
    return try folder.gathering {
      let parts = try Workers.perform(workers) { [self] number in
        try prepare(
          Array(entries[count * number / workers..<count * (number + 1) / workers]), in: folder, host,
          until: stopped)
      }
      return parts.flatMap { $0 }
    }
  }

  private func prepare(
    _ entries: [Entry], in folder: StateFolder, _ host: any RunHost, until stopped: StopRequest
  ) throws -> [PreparedAccessory] {
    // Each profile is checked once, regardless of the number of its accessories.
    var servable: [Int: ServableProfile] = [:]
    return try entries.map { entry in
      if stopped.isRequested { throw StoppedEarly() }
      let vendor = entry.choices.matterVendor
      let profile = try servable[entry.profile] ?? ServableProfile(profiles[entry.profile], matterVendor: vendor)
      servable[entry.profile] = profile
      return try PreparedAccessory(profile, in: folder, choices: entry.choices, random: host.random)
    }
  }
}
