import HAPCommandLine
import HAPDeviations

/// Reads files of defects, and prints all errors in them.
/// - Returns: the built-in defects and those of the files.
package func loadDefects(_ paths: [String], _ console: Console) throws(BadInput) -> DefectLibrary {
  var defects = DefectLibrary.builtIn.entries
  var code = ExitCode.well
  for path in paths {
    do throws(FileError) {
      let file = DefectFile(try readFile(path), file: path)
      for problem in file.problems { console.complain("\(problem)") }
      if !file.problems.isEmpty, code == .well { code = .problem }
      // A custom defect replaces a built-in one with the same name.
      defects = defects.filter { old in !file.defects.contains { $0.id == old.id } } + file.defects
    } catch {
      console.complain("hapsim: \(error)")
      code = .cannotRun
    }
  }
  guard code == .well else { throw BadInput(code: code) }
  return DefectLibrary(defects)
}
