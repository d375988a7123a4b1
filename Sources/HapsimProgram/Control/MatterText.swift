import HAPCommandLine
import HAPHost
import HAPWire
import HapsimFiles

/// Returns the codes of a window that a command has opened, with a QR code to scan.
func openedWindow(_ window: JSONNode, _ terminal: Terminal) -> [String] {
  let payload = plain(window["payload"])
  let lines = [
    "The window is open for \(number(window["seconds"])) s.",
    "  manual code \(terminal.styled(plain(window["manualCode"]), .bold))", "  payload     \(payload)",
  ]
  let code = QRCode(payload)?.lines(terminal.hasColour ? .colour : .plain) ?? []
  return lines + code.map { "  " + $0 }
}

/// Returns a line such as "  Matter  UDP port 5540, manual code 34970112332, in 1 fabric".
func matterSummary(_ matter: JSONNode) -> String {
  var facts = ["UDP port \(number(matter["port"]))", "manual code \(plain(matter["manualCode"]))"]
  let count = matter["fabrics"]?.elements?.count ?? 0
  facts.append(count == 0 ? "not commissioned" : "in \(counted(count, "fabric"))")
  if let window = matter["window"], window.members != nil { facts.append(windowText(window)) }
  return "  Matter  " + facts.joined(separator: ", ")
}

/// Returns the lines of `status` about a Matter node.
func matterStatus(_ matter: JSONNode) -> [String] {
  var lines = [
    matterSummary(matter),
    "  payload \(plain(matter["payload"])), discriminator \(number(matter["discriminator"]))",
  ]
  for fabric in matter["fabrics"]?.elements ?? [] {
    let label = plain(fabric["label"])
    let vendor = fabric["vendor"]?.integerValue.map { "0x" + String($0, radix: 16, uppercase: true) } ?? "?"
    let facts =
      ["vendor \(vendor)"]
      + [("fabric ID", "fabricID"), ("node ID", "nodeID"), ("compressed ID", "compressedID")].map { name, key in
        "\(name) \(plain(fabric[key]))"
      }
    lines.append(
      "  fabric \(number(fabric["index"]))" + (label.isEmpty ? "" : " (\(label))") + ": "
        + facts.joined(separator: ", "))
  }
  let (sessions, subscriptions) = (matter["sessions"]?.integerValue ?? 0, matter["subscriptions"]?.integerValue ?? 0)
  lines.append(
    "  \(counted(Int(clamping: sessions), "session")), \(counted(Int(clamping: subscriptions), "subscription"))")
  return lines
}

/// Returns "window open for 171 s (enhanced, opened by fabric 1)".
private func windowText(_ window: JSONNode) -> String {
  let time = window["seconds"]?.integerValue.map { "for \($0) s" } ?? "until the accessory is commissioned"
  let opener = window["fabric"]?.integerValue.map { ", opened by fabric \($0)" } ?? ""
  return "window open \(time) (\(plain(window["kind"]))\(opener))"
}
