import HAPCommandLine
import HAPPreparation
import HAPProfile
import HAPWire

/// A profile file that was read, with the problems of its format and those that the simulator found in its behaviours, its
/// faults, and its choices about Matter.
package struct LoadedProfile: Sendable {
  /// The file's name, as on the command line.
  package var file: String
  /// The profile; nil if the file can't be read or is not a profile.
  package var profile: AccessoryProfile?
  /// The problems, in the order of the document.
  package var problems: [ProfileProblem]
  /// Whether the file is missing or can't be read.
  package private(set) var isUnreadable = false

  /// The Matter side of the profile; nil: it was not asked for, or the profile has errors.
  package private(set) var matterSide: MatterSide?

  /// Computes the Matter side, and adds its problems.
  package mutating func addMatterSide() {
    guard isServable, let profile else { return }
    let found: [ProfileProblem]
    do throws(ProfileErrors) {
      let side = try MatterSide(profile)
      matterSide = side
      found = side.problems
    } catch { found = error.problems.filter { !problems.contains($0) } }
    problems += found
    sortProblems()
  }

  private mutating func sortProblems() {
    problems.sort { ($0.line, $0.column) < ($1.line, $1.column) }
  }

  /// Whether the profile can be served.
  package var isServable: Bool { profile != nil && !problems.contains { $0.severity == .error } }

  /// - Parameters:
  ///   - operand: a path, or the name of a shipped profile.
  ///   - matterVendor: the vendor for the problems of choices about Matter; nil: the default one.
  package init(operand: String, matterVendor: UInt16? = nil) {
    do throws(FileError) {
      self.init(file: try ShippedProfiles.installed.path(of: operand), matterVendor: matterVendor)
    } catch {
      self.init(file: operand, unreadable: error)
    }
  }

  /// - Parameter matterVendor: the vendor for the problems of choices about Matter; nil: the default one.
  package init(file: String, matterVendor: UInt16? = nil) {
    do throws(FileError) {
      self.init(file: file, json: try readFile(file), matterVendor: matterVendor)
    } catch {
      self.init(file: file, unreadable: error)
    }
  }

  private init(file: String, unreadable error: FileError) {
    self.file = file
    problems = [ProfileProblem(rule: "file", path: "", line: 1, column: 1, message: error.message)]
    isUnreadable = true
  }

  /// - Parameters:
  ///   - json: the file's bytes.
  ///   - matterVendor: the vendor for the problems of choices about Matter; nil: the default one.
  package init(file: String, json: [UInt8], matterVendor: UInt16? = nil) {
    self.file = file
    do throws(ProfileErrors) {
      let profile = try AccessoryProfile(json: json, fileName: file)
      self.profile = profile
      problems = profile.problems + profile.behaviourProblems + profile.faultProblems
      problems += profile.matterProblems(vendor: matterVendor)
    } catch {
      problems = error.problems
    }
    sortProblems()
  }
}

extension [LoadedProfile] {
  /// The problems as lines, such as "file:12:7: error: …".
  package var problemLines: [String] {
    flatMap { loaded in loaded.problems.map { "\(loaded.file):\($0)" } }
  }

  /// The exit status: 3 if a file can't be read, 1 if a profile can't be served, else 0.
  package var exitCode: ExitCode {
    if contains(where: \.isUnreadable) { return .cannotRun }
    return allSatisfy(\.isServable) ? .well : .problem
  }

  /// Returns the number of problems of a severity.
  package func count(_ severity: ProfileProblem.Severity) -> Int {
    reduce(0) { sum, loaded in sum + loaded.problems.count { $0.severity == severity } }
  }
}
