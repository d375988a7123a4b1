import HAPCommandLine
import HAPDefects

/// Reads files of defects, and tells all that is wrong with them.
/// - Returns: the built-in ones and these; nil when something is wrong.
func loadDefects(_ paths: [String], _ console: Console) -> DefectLibrary? {
  var defects = DefectLibrary.builtIn.defects
  var isWell = true
  for path in paths {
    do {
      let file = DefectFile(try readFile(path), file: path)
      for problem in file.problems { console.complain("\(problem)") }
      isWell = isWell && file.problems.isEmpty
      // One's own stands in for a built-in one of the same name.
      defects = defects.filter { old in !file.defects.contains { $0.id == old.id } } + file.defects
    } catch {
      console.complain("hapsim: \(error)")
      isWell = false
    }
  }
  return isWell ? DefectLibrary(defects) : nil
}
