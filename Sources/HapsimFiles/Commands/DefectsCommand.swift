import HAPCommandLine
import HAPDeviations
import HAPWire

extension Command {
  /// `hapsim defects`
  package static let defects = Command(
    "defects", "list the rules that an accessory can break on purpose",
    operands: .some(label: "[ID|CASE|AREA…]", count: 0...1000),
    options: [CommonOptions.json.definition, CommonOptions.defects.definition],
    discussion: [
      "hapsim run --defect ID serves an accessory that violates one rule and conforms otherwise. Each defect names the haptest case that fails "
        + "because of it, and other cases that fail too. Without operands, all defects are listed. An ID shows one defect. A case (RD-01) "
        + "shows the defects that make it fail, and an area (read) its defects. docs/reference/defects.md describes the format for custom defects.",
      "The areas that begin with matter- have defects of Matter. They need hapsim run --matter. Each of them names the rule that it breaks, and "
        + "what a correct controller does.",
    ],
    examples: [
      ("hapsim defects read", "shows the defects of reading"),
      ("hapsim run Profiles/lock.hasaccessory --defect read-status-beside-value", "serves a lock with one defect"),
    ]
  ) { (arguments, console) throws(UsageError) in
    let library: DefectLibrary
    let files = try arguments.all(CommonOptions.defects)
    do throws(BadInput) { library = try loadDefects(files, console) } catch { return error.code }
    var found: [Defect] = []
    for word in arguments.operands {
      let meant = library.entries.filter { $0.id == word || $0.area == word || $0.breaks.contains(word) }
      guard !meant.isEmpty else {
        console.complain("hapsim defects: \(library.unknown(word))")
        return .problem
      }
      found += meant
    }
    if arguments.operands.isEmpty { found = library.entries }
    if arguments[CommonOptions.json] {
      console.print(JSONWriter.text { json in json.array { json in for defect in found { defect.write(to: &json) } } })
      return .well
    }
    if found.count == 1, arguments.operands.count == 1, let defect = found.first {
      for line in defect.lines(console.output) { console.print(line) }
      return .well
    }
    var area = ""
    for defect in found {
      if defect.area != area {
        if !area.isEmpty { console.print("") }
        area = defect.area
        console.print(console.output.styled(area, .bold))
      }
      console.print("  \(defect.id)  \(console.output.styled(defect.reference, .dim))")
    }
    return .well
  }
}

extension Defect {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("id")
      json.string(id)
      json.key("area")
      json.string(area)
      json.key("protocol")
      json.string(servedProtocol.rawValue)
      if let matter {
        json.key("what")
        json.string(what)
        json.key("rule")
        json.string(matter.rule)
        json.key("controller")
        json.string(matter.controller)
        return
      }
      json.key("breaks")
      json.array { json in for id in breaks { json.string(id) } }
      json.key("what")
      json.string(what)
      json.key("drags")
      json.object { json in
        for (id, reason) in drags {
          json.key(id)
          json.string(reason)
        }
      }
      if let total {
        json.key("total")
        json.string(total)
      }
      if let unproven {
        json.key("unproven")
        json.string(unproven)
      }
      json.key("profile")
      json.string(profile)
      json.key("options")
      json.array { json in for option in testOptions { json.string(option) } }
      json.key("serve")
      json.array { json in for option in serveOptions { json.string(option) } }
      if let claims {
        json.key("claims")
        json.node(claims)
      }
    }
  }

  /// The cases of haptest that it breaks, or a section of Matter's specification.
  fileprivate var reference: String {
    matter.map { String($0.rule.prefix { $0 != ":" }) } ?? breaks.joined(separator: " ")
  }

  fileprivate func lines(_ terminal: Terminal) -> [String] {
    if let matter {
      return [
        terminal.styled(id, .bold), what, "", "breaks      \(matter.rule)", "controller  \(matter.controller)",
        "shows       hapsim run Profiles/\(profile).hasaccessory --matter --defect \(id)",
      ]
    }
    var lines = [terminal.styled(id, .bold), what, "", "fails   \(breaks.joined(separator: " "))"]
    if let total { lines.append("and all cases that need a session: \(total)") }
    if let unproven { lines.append("not proven: \(unproven)") }
    for (id, reason) in drags { lines.append("drags   \(id): \(reason)") }
    lines.append("shows   hapsim run Profiles/\(profile).hasaccessory --defect \(id)")
    return lines
  }
}
