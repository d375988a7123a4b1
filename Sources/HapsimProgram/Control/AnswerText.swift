import HAPCommandLine
import HAPModel
import HAPVocabulary
import HAPWire

/// Returns a running hapsim's answer to a command as text.
/// - Parameter answer: the answer to a command that was carried out.
func answerLines(_ answer: JSONNode, to command: CommandName, _ terminal: Terminal) -> [String] {
  func text(_ name: String) -> String { plain(answer[name]) }
  switch command {
  case .list:
    var lines = (answer["accessories"]?.elements ?? []).flatMap { listing($0, terminal) }
    if lines.isEmpty { lines = ["No accessory is served."] }
    if let page = answer["control"]?.stringValue { lines.append("page and control API: \(page)") }
    if let time = answer["time"] { lines.append(terminal.styled(timeText(time), .dim)) }
    return lines
  case .status: return (answer["accessories"]?.elements ?? []).flatMap { status($0, terminal) }
  case .advance: return ["The time is \(seconds(answer["now"]))."]
  case .add:
    return [
      terminal.styled(text("name"), .bold) + "  " + text("category") + ", port \(number(answer["port"])), "
        + text("deviceID"), "  setup code  " + text("setupCode"), "  payload     " + text("setupPayload"),
    ]
  case .replace: return ["Served now, with configuration number \(number(answer["configurationNumber"]))."]
  case .disconnect:
    let count = number(answer["connections"])
    return [count == "1" ? "1 connection was closed." : "\(count) connections were closed."]
  case .unpair:
    let count = number(answer["pairings"])
    return [count == "1" ? "1 pairing was removed." : "\(count) pairings were removed."]
  case .factoryReset: return ["Reset; the new device ID is \(text("deviceID"))."]
  case .fault:
    let protocols = (answer["withoutEffectOn"]?.elements ?? []).map { plain($0) }
    return ["Done."] + (protocols.isEmpty ? [] : ["This fault has no effect on \(protocols.joined(separator: ", "))."])
  case .openWindow: return answer["window"].map { openedWindow($0, terminal) } ?? []
  case .removeFabric: return ["The fabric was removed."]
  default: return ["Done."]
  }
}

/// Returns a text without control characters, and without the quotes around a single word.
func plain(_ node: JSONNode?) -> String {
  let text = shown(node?.stringValue ?? "")
  return text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
}

func number(_ node: JSONNode?) -> String { node?.integerValue.map(String.init) ?? "?" }

private func seconds(_ node: JSONNode?) -> String {
  guard let seconds = node?.numberValue?.double else { return "?" }
  let text = "\(seconds)"
  return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + " s"
}

private func timeText(_ time: JSONNode) -> String {
  let scale = time["scale"]?.numberValue?.double ?? 1
  switch scale {
  case 0: return "Time is frozen at \(seconds(time["now"]))."
  case 1: return "Time is \(seconds(time["now"]))."
  default: return "Time is \(seconds(time["now"])), at \(scale) times real time."
  }
}

/// Returns a line such as "Garage  garage-door-opener, port 51826, paired".
private func head(_ accessory: JSONNode, _ terminal: Terminal) -> String {
  var facts = [shown(accessory["category"]?.stringValue ?? ""), shown(accessory["deviceID"]?.stringValue ?? "")]
  if accessory["running"]?.boolValue == true {
    facts.append("port \(number(accessory["port"]))")
    facts.append(accessory["paired"]?.boolValue == true ? "paired" : "not paired")
    if accessory["radio"]?.boolValue == false { facts.append("radio off") }
  } else {
    facts.append("stopped")
  }
  return terminal.styled(plain(accessory["name"]), .bold) + "  " + facts.joined(separator: ", ")
}

private func listing(_ accessory: JSONNode, _ terminal: Terminal) -> [String] {
  [head(accessory, terminal)] + (accessory["matter"].map { [matterSummary($0)] } ?? [])
    + (accessory["bridged"]?.elements ?? []).map { bridged in
      "  \(number(bridged["aid"]))  \(plain(bridged["name"]))"
        + (bridged["online"]?.boolValue == false ? "  offline" : "")
    }
}

private func status(_ accessory: JSONNode, _ terminal: Terminal) -> [String] {
  var lines = [head(accessory, terminal)]
  for pairing in accessory["pairings"]?.elements ?? [] {
    let name = shown(pairing["controller"]?.stringValue ?? "")
    lines.append("  controller \(name)" + (pairing["admin"]?.boolValue == true ? ", admin" : ""))
  }
  if let matter = accessory["matter"] { lines += matterStatus(matter) }
  for entry in accessory["characteristics"]?.elements ?? [] {
    let value = entry["value"]?.compactText ?? "null"
    let word = entry["word"]?.stringValue.map { "\($0) (\(value))" } ?? value
    let address = "\(number(entry["aid"])).\(number(entry["iid"]))"
    lines.append("  \(address)  \(plain(entry["name"])): \(word)")
  }
  return lines
}
