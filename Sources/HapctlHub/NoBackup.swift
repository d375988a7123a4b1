import HAPCommandLine
import HAPStore

/// The error of a file that is no backup, for a person who may have given another file.
struct NoBackup: Error, CustomStringConvertible {
  let description: String

  /// Replaces the homes of a folder by a backup.
  /// - Throws: `NoBackup` if the file is none, otherwise `StoreError`.
  static func restore(_ source: String, into folder: String, _ files: any StoreFiles) throws {
    do throws(StoreError) { try HomeStore.restore(source, into: folder, files: files) } catch {
      if let better = NoBackup(source, error, files) { throw better }
      throw error
    }
  }

  /// - Returns: nil for an error that is not about the file.
  init?(_ source: String, _ error: StoreError, _ files: any StoreFiles) {
    guard error.path == source else { return nil }
    let what: String
    switch error.code {
    case .unwritable, .failed, .corrupt:
      if isFolder(source) {
        what = "is a folder, not a backup"
      } else if (try? files.size(of: source)) == 0 {
        what = "is empty, and not a backup"
      } else if error.code != .corrupt {
        what = "can't be read: \(error.detail)"
      } else if source.hasSuffix(".hashome") {
        what = "is not a backup, but the file of a home ('hapctl home apply' reads it)"
      } else {
        what = "is not a backup, or it is damaged (\(error.detail))"
      }
    case .foreign: what = "is not a backup of a hub (\(error.detail))"
    case .newerSchema: what = "is a backup of a newer hapctl: use that version"
    case .alreadyRunning, .exposed, .exists, .full, .busy, .unknownAccessory: return nil
    }
    description = "\(source) \(what). Nothing was changed: give a file that 'hapctl hub backup' wrote"
  }
}
