import HAPCommandLine
import HAPLoop
import HAPWire

/// The profiles that come with hapsim, which commands accept by name: `lock` for `lock.hasaccessory`.
package struct ShippedProfiles {
  package static let suffix = ProfileFolder.suffix

  /// The folder; nil if none was found.
  package let folder: String?
  /// The names without the suffix, sorted.
  package let names: [String]

  /// The profiles of this program: installed (`PREFIX/share/hapsim/Profiles`) or in the checkout that it was built in.
  package static let installed = ShippedProfiles(near: executablePath())

  /// - Parameter executable: the program's path. Its folder and the folders above it are searched; nil: nothing is
  ///   found.
  package init(near executable: String?) {
    var ancestor = executable ?? ""
    while let slash = ancestor.lastIndex(of: "/") {
      ancestor = String(ancestor[..<slash])
      for folder in ProfileFolder.paths.map({ "\(ancestor)/\($0)" })
      where fileExists("\(folder)/\(ProfileFolder.mark)") {
        guard let files = try? fileNames(inFolder: folder) else { continue }
        self.folder = folder
        names = files.filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }.sorted()
        return
      }
    }
    folder = nil
    names = []
  }

  /// Returns the path for an operand: the operand if it exists, else the shipped profile of that name.
  /// - Throws: `FileError` if the operand is neither. An operand with a slash or the suffix is always a path, and is
  ///   returned unchanged.
  package func path(of operand: String) throws(FileError) -> String {
    guard !fileExists(operand), !operand.contains("/"), !operand.hasSuffix(Self.suffix) else { return operand }
    if let folder, names.contains(operand) { return "\(folder)/\(operand)\(Self.suffix)" }
    let hint = nearestName(to: operand, in: names).map { "did you mean \($0)? " } ?? ""
    throw FileError(
      message: "there is no file and no shipped profile of this name: \(hint)'hapsim run' lists the shipped profiles")
  }

  /// Returns one or more lines for each profile: its name, the accessory's name and its category.
  package func lines(width: Int) -> [String] {
    let rows = names.map { name -> (term: String, meaning: String) in
      guard let folder, let profile = LoadedProfile(file: "\(folder)/\(name)\(Self.suffix)").profile else {
        return (name, "")
      }
      return (name, "\(profile.name), \(profile.category.slug)")
    }
    return definitionList(rows, width: width)
  }
}
