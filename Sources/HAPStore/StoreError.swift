import CSQLite

/// An error when state is stored or read.
package struct StoreError: Error, Equatable, Sendable {
  /// The kind of error, for callers that handle it.
  package enum Code: Equatable, Sendable {
    /// Another process (or another `StateFolder` of this one) runs this accessory.
    case alreadyRunning(name: String, pid: Int32?)
    /// The folder or a file in it can't be created or written.
    case unwritable
    /// Other users of the machine can change the folder.
    case exposed
    /// There is a file where a new one has to be created. It is left unchanged.
    case exists
    /// The file is damaged. It is left unchanged.
    case corrupt
    /// The file is another program's database. It is left unchanged.
    case foreign
    /// A newer hapsim wrote the file. It is left unchanged.
    case newerSchema(found: Int, supported: Int)
    /// The disk is full. Nothing was changed.
    case full
    /// Another process held the file for too long.
    case busy
    /// No accessory has this key.
    case unknownAccessory
    /// Any other error of the system or SQLite.
    case failed
  }
  package var code: Code
  /// The file or folder.
  package var path: String
  /// A text for the user.
  package var detail: String

  package init(_ code: Code, path: String, detail: String) {
    self.code = code
    self.path = path
    self.detail = detail
  }
}

extension StoreError: CustomStringConvertible {
  /// One line, with the path.
  package var description: String {
    switch code {
    case .alreadyRunning(let name, let pid):
      "\"\(name)\" is already running" + (pid.map { " (process \($0))" } ?? "") + " with the state in \(path)"
    case .unwritable: "\(path) can't be written: \(detail)"
    case .exposed:
      "\(path) can be changed by other users of this machine. Run 'chmod go-w' on this folder, or use another one"
    case .exists: "\(path) exists already. It was left untouched; choose another name"
    case .corrupt: "\(path) is damaged (\(detail)). It was left untouched; move it away to start again"
    case .foreign: "\(path) is not a hapsim database: \(detail). It was left untouched"
    case .newerSchema(let found, let supported):
      "\(path) was written by a newer hapsim (schema \(found), this version supports \(supported)). It was left untouched"
    case .full: "\(path): no room left, nothing was changed (\(detail))"
    case .busy: "\(path) was locked by another process for too long (\(detail))"
    case .unknownAccessory: "\(path) has no accessory \(detail)"
    case .failed: "\(path): \(detail)"
    }
  }
}

extension StoreError {
  init(_ error: SQLiteError, path: String) {
    let code: Code =
      switch error.code {
      case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
      case SQLITE_FULL: .full
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .unwritable
      default: .failed
      }
    self.init(code, path: path, detail: error.message)
  }
}
