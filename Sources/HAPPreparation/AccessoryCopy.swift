import HAPDevices
import HAPDeviations
import HAPFleet
import HAPModel
import HAPProfile
import HAPWire

/// One of several accessories made of one profile.
package struct AccessoryCopy: Sendable {
  /// The key of its stored state.
  package var key: String
  /// The number in its group, from 1.
  package var number: Int
  package var name: String
  /// Its identity; `nil`: drawn at its first start, and stored.
  package var identity: CopyIdentity?
  /// Parameters for all services of a type; they override those of the profile.
  package var behaviours: [(type: TypeID, parameters: JSONNode)] = []
  /// Faults active from its start, in addition to the profile's.
  package var faults: [FaultChoice] = []

  /// - Parameter group: the key of the group's stored state.
  package init(group: String, number: Int, name: String, identity: CopyIdentity? = nil) {
    key = "\(group) #\(number)"
    self.number = number
    self.name = name
    self.identity = identity
  }

  func apply(to profile: inout AccessoryProfile) {
    profile.rename(name)
    profile.numberSerials(number)
    for (type, parameters) in behaviours { profile.setBehaviour(parameters, of: type) }
  }
}

/// A valid profile with its replay files, from which any number of accessories can be made. It belongs to one thread.
package struct ServableProfile {
  package let profile: AccessoryProfile
  let files: ReplayFiles

  /// - Parameter matterVendor: the vendor of the Matter nodes; nil: the default one.
  /// - Throws: `ProfileErrors` if the profile has errors.
  package init(_ profile: AccessoryProfile, matterVendor: UInt16? = nil) throws(ProfileErrors) {
    self.profile = profile
    files = try profile.refuseProblems(matterVendor: matterVendor)
  }
}

/// The stored identity of a copy differs from the given one.
package struct IdentityConflict: Error, CustomStringConvertible {
  package let name: String
  package let kept: DeviceID
  package let wanted: DeviceID

  package var description: String {
    "the stored device ID of \"\(name)\" is \(kept.text), but the given identity makes it \(wanted.text): give the identity text of its first start or another state folder, or reset it"
  }
}
