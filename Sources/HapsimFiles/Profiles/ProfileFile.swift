import HAPCommandLine
import HAPProfile

/// The most that a profile may have: 16 MiB.
package let profileSizeLimit = 16 << 20

/// All bytes of a profile's file, or of one that goes with it.
package func readFile(_ path: String) throws(FileError) -> [UInt8] { try readFile(path, limit: profileSizeLimit) }

/// The profile of a file, whatever is wrong with it.
package func readProfile(_ path: String) throws -> AccessoryProfile {
  try AccessoryProfile(json: try readFile(path), fileName: path)
}
