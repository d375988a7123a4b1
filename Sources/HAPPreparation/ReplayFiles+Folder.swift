import HAPDevices

extension ReplayFiles {
  /// - Parameter profile: the file of the profile. The files are in its folder.
  package convenience init(beside profile: String) {
    // Ends in a slash, or is empty.
    let folder = profile.lastIndex(of: "/").map { String(profile[...$0]) } ?? ""
    self.init { (name: String) throws(ReplaySeries.Problem) in
      do throws(RegularFile.Failure) {
        return try RegularFile.bytes(of: folder + name, limit: Self.sizeLimit)
      } catch {
        switch error {
        case .unreadable(let reason): throw .init(message: "it cannot be read in the folder of the profile: \(reason)")
        case .noFile: throw .init(message: "it is not a regular file")
        case .tooLong: throw .init(message: "it has more than 1 MiB")
        }
      }
    }
  }
}
