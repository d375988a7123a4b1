import HAPModel
import HAPWire
import HAPYAML

/// A problem in a file of defects, and its location.
package struct DefectProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package var file: String
  package var place: JSONPlace
  /// "defects[3].rules[0].when"; empty for the whole file.
  package var path: String
  package var message: String

  package var description: String { "\(file):\(place): " + (path.isEmpty ? message : "\(path): \(message)") }
}

/// A file of defects.
package struct DefectFile: Sendable {
  package let area: String
  package private(set) var defects: [Defect] = []
  /// All problems. A defect with a problem is not in `defects`.
  package private(set) var problems: [DefectProblem] = []

  /// - Parameters:
  ///   - bytes: YAML; the caller limits the size.
  ///   - file: its name, for messages.
  package init(_ bytes: [UInt8], file: String) {
    let document: JSONNode
    do throws(JSONError) {
      document = try JSONNode.yaml(bytes)
    } catch {
      area = ""
      problems = [DefectProblem(file: file, place: error.place, path: "", message: error.message)]
      return
    }
    var nodes: [JSONNode] = []
    area = document["area"]?.stringValue ?? ""
    do throws(JSONProblem) {
      try document.refuseUnknownMembers(except: ["area", "defects"])
      _ = try document.string("area")
      nodes = try document.required("defects").asList()
    } catch {
      problems = [DefectProblem(error, in: file)]
    }
    var lines: [String: Int] = [:]
    for node in nodes {
      do throws(JSONProblem) {
        let defect = try Defect(node, area: area)
        if let line = lines.updateValue(node.place.line, forKey: defect.id) {
          throw node.problem("the defect \"\(defect.id)\" already exists in line \(line)")
        }
        defects.append(defect)
      } catch { problems.append(DefectProblem(error, in: file)) }
    }
  }
}

extension DefectProblem {
  fileprivate init(_ problem: JSONProblem, in file: String) {
    self.init(file: file, place: problem.place, path: problem.path, message: problem.message)
  }
}
