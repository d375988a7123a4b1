import HAPCommandLine
import HAPProfile

/// The maximum size of a profile: 16 MiB.
package let profileSizeLimit = 16 << 20

/// Returns all bytes of a profile's file, or of a file that belongs to it.
package func readFile(_ path: String) throws(FileError) -> [UInt8] { try readFile(path, limit: profileSizeLimit) }

/// Returns the profile of a file, including one with errors.
package func readProfile(_ path: String) throws -> AccessoryProfile {
  try AccessoryProfile(json: try readFile(path), fileName: path)
}
