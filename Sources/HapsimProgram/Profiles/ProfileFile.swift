import HAPCommandLine

/// The most that a profile may have: 16 MiB.
let profileSizeLimit = 16 << 20

/// All bytes of a profile's file, or of one that goes with it.
func readFile(_ path: String) throws(FileError) -> [UInt8] { try readFile(path, limit: profileSizeLimit) }
