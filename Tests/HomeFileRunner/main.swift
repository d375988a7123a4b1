// Writes YAML and `.hashome` documents, for tests that compare them with other software.
//
// Standard input is a JSON list of texts. Standard output is a JSON list with one element for each:
//   HomeFileRunner yaml       the text is JSON; the element is the same value as YAML
//   HomeFileRunner hashome    the text is a document; the element is its YAML and its JSON, or one text with its mistakes

import Foundation
import HAPHomeFile
import HAPWire
import HAPYAML

func answer(to text: String, _ command: String) throws -> JSONNode {
  let bytes = Array(text.utf8)
  guard command == "hashome" else { return .text(try JSONNode.parse(bytes).yamlText) }
  do throws(HomeFileProblems) {
    let file = try HomeFile.read(bytes)
    return .list([.text(file.yaml), .text(file.json)])
  } catch { return .text("\(error)") }
}

let input = [UInt8](FileHandle.standardInput.readDataToEndOfFile())
let texts = try JSONNode.parse(input).elements ?? []
let answers = try texts.map { try answer(to: $0.asString(), CommandLine.arguments.last ?? "") }
FileHandle.standardOutput.write(Data(JSONNode.list(answers).indentedText.utf8))
