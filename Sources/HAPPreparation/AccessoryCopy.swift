import HAPDevices
import HAPDeviations
import HAPFleet
import HAPModel
import HAPProfile
import HAPWire

/// One of several accessories of a profile.
package struct AccessoryCopy: Sendable {
  /// By which it is kept.
  package var key: String
  /// In its group, from 1.
  package var number: Int
  package var name: String
  /// Who it is; nil: that is drawn at its first start, and kept.
  package var identity: CopyIdentity?
  /// Parameters for every service of a type, over those of the profile.
  package var behaviours: [(type: TypeID, parameters: JSONNode)] = []
  /// Faults that it has from its start, besides the profile's.
  package var faults: [FaultChoice] = []

  /// - Parameter group: what the copies of its group are kept by.
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

/// A profile that may be served, with the files beside it: what any number of accessories is made of. It belongs to one thread.
package struct ServableProfile {
  package let profile: AccessoryProfile
  let files: ReplayFiles

  /// - Throws: `ProfileErrors` unless it can be served.
  package init(_ profile: AccessoryProfile) throws(ProfileErrors) {
    self.profile = profile
    files = try profile.refuseProblems()
  }
}

/// A copy that is kept under another identity than the one it is to have.
package struct IdentityConflict: Error, CustomStringConvertible {
  package let name: String
  package let kept: DeviceID
  package let wanted: DeviceID

  package var description: String {
    "\"\(name)\" is kept as \(kept.text), and the identity that was given makes it \(wanted.text): give the text of its first start, another state folder, or reset it"
  }
}
