package typealias DefectLibrary = DeviationLibrary<Defect>

extension Defect: LibraryEntry {
  package static let kind = "defect"
}

private let builtInDefects: DefectLibrary = {
  let files = EmbeddedDefects.files.map { DefectFile(Array("\($0.text)".utf8), file: $0.name) }
  return DefectLibrary(builtIn: files.flatMap(\.defects), problems: files.flatMap(\.problems).map(\.description))
}()

extension DeviationLibrary where Entry == Defect {
  /// The defects that the program contains.
  package static var builtIn: DefectLibrary { builtInDefects }
}
