import Foundation

/// The object file that the compiler made of a source.
struct ObjectFile {
  struct Symbol {
    /// As `nm` prints it: "U" is undefined.
    let kind: Character
    let name: String
  }

  /// Of the source, from `Sources/` on: "HAPLoop/Kernel/System.swift".
  let name: String
  private let symbols: [Symbol]

  /// What the object asks the linker for.
  var undefinedSymbols: [String] { symbols.filter { $0.kind == "U" }.map(\.name) }

  /// What the object defines and no other object may define too: without what each object has a copy of, such as specializations.
  var ownSymbols: [String] { symbols.filter { $0.kind.isUppercase && !"UVW".contains($0.kind) }.map(\.name) }

  /// What the object defines, copies included.
  var definedSymbols: [String] { symbols.filter { $0.kind != "U" }.map(\.name) }

  /// The objects of a target, by the names of its sources: an object may be left from a source that is gone.
  /// - Parameter onlyUndefined: whether to leave out what they define, which takes most of the time.
  static func all(of target: String, onlyUndefined: Bool = false) throws -> [ObjectFile] {
    let folder = try Checkout.buildFolder().appendingPathComponent("\(target).build")
    let root = Checkout.folder.appendingPathComponent("Sources/").path + "/"
    let sources = try Checkout.sources(of: target) + Checkout.embeddedSources(of: target)
    let paths = sources.map { folder.appendingPathComponent($0.lastPathComponent + ".o").path }
    for path in paths where !FileManager.default.fileExists(atPath: path) {
      throw Failure("\(path) is missing: the tests were built in a way that HouseTests doesn't know")
    }
    let symbols = try symbols(of: paths, onlyUndefined)
    return zip(sources, paths).map { source, path in
      let isOurs = source.path.hasPrefix(root)
      let name = isOurs ? String(source.path.dropFirst(root.count)) : "\(target)/\(source.lastPathComponent)"
      return ObjectFile(name: name, symbols: symbols[path] ?? [])
    }
  }

  /// Whether the compiler saw all sources of the target at once. Otherwise it leaves a file of dependencies next to each object.
  static func isCompiledAsWhole(_ target: String) throws -> Bool {
    let folder = try Checkout.buildFolder().appendingPathComponent("\(target).build")
    return try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.hasSuffix(".swiftdeps") }
  }

  /// The symbols of objects, by their paths, without the underscore that macOS puts before each.
  private static func symbols(of paths: [String], _ onlyUndefined: Bool) throws -> [String: [Symbol]] {
    let listing = try Checkout.output(of: ["nm"] + (onlyUndefined ? ["-u"] : []) + paths)
    var found: [String: [Symbol]] = [:]
    var path = paths[0]
    for line in String(decoding: listing, as: UTF8.self).split(separator: "\n") {
      if line.hasSuffix(".o:") {
        path = String(line.dropLast())
        continue
      }
      let words = line.split(separator: " ")
      guard let name = words.last, words.count > 1, let kind = words[words.count - 2].first else { continue }
      #if os(macOS)
        let plain = name.hasPrefix("_") ? name.dropFirst() : name
      #else
        let plain = name
      #endif
      found[path, default: []].append(Symbol(kind: kind, name: String(plain)))
    }
    return found
  }
}
