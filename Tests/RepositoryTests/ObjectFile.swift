import Foundation

/// The object file that the compiler made of a source.
struct ObjectFile {
  struct Symbol {
    /// The letter printed by `nm`: "U" means undefined.
    let kind: Character
    let name: String
  }

  /// The path of the source below `Sources/`: "HAPLoop/Kernel/System.swift".
  let name: String
  private let symbols: [Symbol]

  /// The symbols that the object refers to.
  var undefinedSymbols: [String] { symbols.filter { $0.kind == "U" }.map(\.name) }

  /// The symbols that only this object defines, without copies such as specializations.
  var ownSymbols: [String] { symbols.filter { $0.kind.isUppercase && !"UVW".contains($0.kind) }.map(\.name) }

  /// The symbols that the object defines, including copies.
  var definedSymbols: [String] { symbols.filter { $0.kind != "U" }.map(\.name) }

  /// The objects of a target with an existing source: old objects may be left in the folder.
  /// - Parameter onlyUndefined: whether to skip defined symbols, which take most of the time.
  static func all(of target: String, onlyUndefined: Bool = false) throws -> [ObjectFile] {
    let folder = try Checkout.buildFolder().appendingPathComponent("\(target).build")
    let root = Checkout.folder.appendingPathComponent("Sources/").path + "/"
    let sources = try Checkout.sources(of: target) + Checkout.embeddedSources(of: target)
    let paths = sources.map { folder.appendingPathComponent($0.lastPathComponent + ".o").path }
    for path in paths where !FileManager.default.fileExists(atPath: path) {
      throw Failure("\(path) is missing: RepositoryTests does not support this way of building the tests")
    }
    let symbols = try symbols(of: paths, onlyUndefined)
    return zip(sources, paths).map { source, path in
      let isOurs = source.path.hasPrefix(root)
      let name = isOurs ? String(source.path.dropFirst(root.count)) : "\(target)/\(source.lastPathComponent)"
      return ObjectFile(name: name, symbols: symbols[path] ?? [])
    }
  }

  /// Whether the compiler saw all sources of the target at once. Otherwise, each object has a file of dependencies next
  /// to it.
  static func isCompiledAsWhole(_ target: String) throws -> Bool {
    let folder = try Checkout.buildFolder().appendingPathComponent("\(target).build")
    return try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.hasSuffix(".swiftdeps") }
  }

  /// The symbols of objects, by path, without the leading underscore on macOS.
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
