#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Checks that a file can be written at a path, before the work that produces its content. Creates and changes nothing.
/// - Parameter overwriting: whether an existing file may be replaced.
/// - Throws: if `writeFile` would fail now.
package func checkOutputFile(_ path: String, overwriting: Bool = true) throws(FileError) {
  try checkName(path)
  guard !path.hasSuffix("/") else { throw unwritable(path, EISDIR) }
  var status = stat()
  guard stat(path, &status) == 0 else {
    guard errno == ENOENT, lstat(path, &status) != 0 else { throw unwritable(path, errno) }
    return try checkFolder(parent(of: path), for: path)
  }
  switch status.st_mode & S_IFMT {
  case S_IFDIR: throw unwritable(path, EISDIR)
  case S_IFREG:
    guard overwriting else { throw existingFile(path) }
    guard access(path, W_OK) == 0 else { throw unwritable(path, errno) }
    // The new file is written to the same folder, then renamed to this one.
    guard let resolved = realpath(path, nil) else { throw unwritable(path, errno) }
    defer { free(resolved) }
    try checkFolder(parent(of: String(cString: resolved)), for: path)
  default: guard access(path, W_OK) == 0 else { throw unwritable(path, errno) }
  }
}

/// Checks that a path is a writable folder, or that the folder can be created.
package func checkOutputFolder(_ path: String) throws(FileError) {
  try checkName(path)
  var status = stat()
  if stat(path, &status) == 0 { return try checkFolder(path, for: path) }
  guard errno == ENOENT, lstat(path, &status) != 0 else { throw unwritable(path, errno) }
  try checkFolder(parent(of: path), for: path)
}

/// Checks all output paths of one command. Two outputs can't have the same path, except a device such as `/dev/null`.
package func outputProblems(files: [String], folders: [String] = []) -> [FileError] {
  var problems: [FileError] = []
  var owners: Set<String> = []
  for (path, isFolder) in files.map({ ($0, false) }) + folders.map({ ($0, true) }) {
    do throws(FileError) {
      if isFolder { try checkOutputFolder(path) } else { try checkOutputFile(path) }
      if let place = place(of: path), !owners.insert(place).inserted {
        throw FileError(message: "\(path) is given for two outputs; give each its own path")
      }
    } catch { problems.append(error) }
  }
  return problems
}

/// Writes texts to files and overwrites existing ones. Skips a text without a path.
/// - Returns: an error for each file that could not be written.
package func problems(writing files: [(path: String?, text: () -> String)]) -> [FileError] {
  files.compactMap { path, text in
    guard let path else { return nil }
    do throws(FileError) { try writeFile(path, Array(text().utf8), overwriting: true) } catch { return error }
    return nil
  }
}

/// Returns the path without links and dots, so that equal locations have equal texts; nil for a device.
private func place(of path: String) -> String? {
  var status = stat()
  let exists = stat(path, &status) == 0
  if exists, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR { return nil }
  guard let resolved = realpath(exists ? path : parent(of: path), nil) else { return nil }
  defer { free(resolved) }
  let name = path.split(separator: "/").last.map(String.init) ?? ""
  return exists ? String(cString: resolved) : "\(String(cString: resolved))/\(name)"
}

private func checkName(_ path: String) throws(FileError) {
  guard !path.isEmpty else { throw FileError(message: "the output path is empty; give the path of a file") }
  guard !path.utf8.contains(0) else { throw FileError(message: "\(path) is not a valid file name") }
}

private func checkFolder(_ folder: String, for path: String) throws(FileError) {
  var status = stat()
  guard stat(folder, &status) == 0 else {
    if errno == ENOENT { throw FileError(message: "\(path) can't be written: there is no folder \(folder)") }
    throw unwritable(path, errno)
  }
  guard status.st_mode & S_IFMT == S_IFDIR else { throw unwritable(path, ENOTDIR) }
  guard access(folder, W_OK | X_OK) == 0 else { throw unwritable(path, errno) }
}

/// Returns the error for a file that exists and is replaced only with `--force`.
func existingFile(_ path: String) -> FileError {
  FileError(message: "\(path) already exists; --force replaces it")
}

private func unwritable(_ path: String, _ code: Int32) -> FileError {
  FileError(message: "\(path) can't be written: \(String(cString: strerror(code)))")
}

/// Returns the parent folder of a path.
private func parent(of path: String) -> String {
  var path = path[...]
  while path.count > 1, path.hasSuffix("/") { path.removeLast() }
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}
