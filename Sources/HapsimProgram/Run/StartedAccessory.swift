import HapsimInputs
import HAPPreparation
import HAPCommandLine
import HAPDiscovery
import HAPHost
import HAPLoop
import HAPModel
import HAPWire

/// A served accessory: its identity, its address, and its pairing data.
struct StartedAccessory: Sendable {
  let name: String
  let deviceID: DeviceID
  let setupCode: SetupCode
  let payload: SetupPayload
  let category: HAPModel.Category
  let address: IPAddress
  let port: UInt16
  /// Whether the accessory is one of several copies of its profile.
  let isCopy: Bool
  /// nil: it is not served over Matter.
  var matter: MatterIntroduction?
  /// The file with the certificate that a commissioner has to trust; nil: there is no state folder.
  var trustAnchor: String?

  init(_ prepared: PreparedAccessory, address: IPAddress, port: UInt16, isCopy: Bool = false) {
    name = prepared.name
    deviceID = prepared.deviceID
    setupCode = prepared.setupCode
    payload = prepared.setupPayload
    category = prepared.category
    self.address = address
    self.port = port
    self.isCopy = isCopy
  }
}

/// Prints the accessories' addresses and pairing data: as text with a code to scan, or as the `ready` line for
/// programs.
/// - Parameters:
///   - backEnd: the announcer on the network; nil: none.
///   - control: the address of the control API and the page; nil: none.
///   - note: the reason why the port is not the default one.
func announce(
  _ started: [StartedAccessory], by backEnd: BackEnd.Choice?, control: String?, note: String?,
  _ lines: LineOutput, _ options: RunOptions, _ console: Console
) {
  if options.json { return lines.write(readyLine(started, backEnd, control: control, note: note), isDroppable: false) }
  let isTable = started.count > mostIntroductions && started.contains(where: \.isCopy)
  let introductions =
    isTable ? table(of: started, console.output) : started.flatMap { introduction(of: $0, console.output) }
  for line in introductions { lines.write(line, isDroppable: false) }
  if let control {
    let reason = note.map { " (\($0))" } ?? ""
    lines.write("page and control API: " + console.output.styled(control, .bold) + reason, isDroppable: false)
  }
  if !options.quiet { lines.write(console.output.styled(sentence(about: backEnd), .dim), isDroppable: false) }
  if !options.quiet { lines.write(console.output.styled("Press Ctrl-C to stop.", .dim), isDroppable: false) }
}

private func sentence(about backEnd: BackEnd.Choice?) -> String {
  switch backEnd?.backEnd {
  case nil: "Not announced on the network (--bonjour off)."
  case .daemon: "Announced by the mDNS daemon of this machine: \(backEnd?.reason ?? "")."
  case .embedded: "Announced by this process: \(backEnd?.reason ?? "")."
  }
}

/// Returns `{"event":"ready","bonjour":"embedded","bonjourReason":"…","accessories":[…]}`.
func readyLine(
  _ started: [StartedAccessory], _ backEnd: BackEnd.Choice?, control: String? = nil, note: String? = nil
) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("event")
      json.string("ready")
      json.key("bonjour")
      json.string(backEnd?.backEnd.rawValue ?? "off")
      if let backEnd {
        json.key("bonjourReason")
        json.string(backEnd.reason)
      }
      if let control {
        json.key("control")
        json.string(control)
      }
      if let note {
        json.key("controlReason")
        json.string(note)
      }
      json.key("accessories")
      json.array { json in
        for accessory in started {
          json.object { json in
            json.key("name")
            json.string(accessory.name)
            json.key("deviceID")
            json.string(accessory.deviceID.text)
            json.key("setupCode")
            json.string(accessory.setupCode.text)
            json.key("setupPayload")
            json.string(accessory.payload.uri)
            json.key("category")
            json.string(accessory.category.slug)
            json.key("address")
            json.string(accessory.address.description)
            json.key("port")
            json.integer(accessory.port)
            if let matter = accessory.matter { write(matter, trustAnchor: accessory.trustAnchor, to: &json) }
          }
        }
      }
    }
  }
}

private func write(_ matter: MatterIntroduction, trustAnchor: String?, to json: inout JSONWriter) {
  json.key("matter")
  json.object { json in
    json.key("port")
    json.integer(matter.port)
    json.key("payload")
    json.string(matter.qrText)
    json.key("manualCode")
    json.string(matter.manualCode)
    if let trustAnchor {
      json.key("trustAnchor")
      json.string(trustAnchor)
    }
    json.key("trustAnchorDER")
    json.string(Base64.encode(matter.trustAnchor))
  }
}

/// The number of copies above which each is printed as one line, without a QR code.
private let mostIntroductions = 2
/// The maximum number of printed lines.
private let mostLines = 40

/// Returns name, address, device ID and setup code, with a line for each accessory; if there are many, only the first
/// ones.
private func table(of started: [StartedAccessory], _ terminal: Terminal) -> [String] {
  let shown = started.prefix(started.count > mostLines ? mostLines / 2 : mostLines)
  let addresses = shown.map { "\(SocketAddress(host: $0.address, port: $0.port))" }
  let width = shown.map(\.name.count).max() ?? 0
  let addressWidth = addresses.map(\.count).max() ?? 0
  func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: width - text.count) }
  var lines = zip(shown, addresses).map { accessory, address in
    "\(terminal.styled(padded(accessory.name, width), .bold))  \(padded(address, addressWidth))  \(accessory.deviceID.text)  \(accessory.setupCode.text)"
  }
  if started.count > shown.count {
    lines.append("… and \(started.count - shown.count) more; --json and 'hapsim ctl list' show all of them")
  }
  return lines
}

/// Returns name, category, address, setup code, and the QR code in half blocks.
func introduction(of accessory: StartedAccessory, _ terminal: Terminal) -> [String] {
  let payload = accessory.payload.uri
  var lines = [
    terminal.styled(accessory.name, .bold) + " (\(accessory.category.name))",
    "  address     \(SocketAddress(host: accessory.address, port: accessory.port))",
    "  device ID   \(accessory.deviceID.text)",
    "  setup code  \(terminal.styled(accessory.setupCode.text, .bold))",
    "  payload     \(payload)",
  ]
  if let code = QRCode(payload) { lines += code.lines(terminal.hasColour ? .colour : .plain).map { "  " + $0 } }
  guard let matter = accessory.matter else { return lines }
  lines += [
    "  Matter      UDP port \(matter.port)",
    "  manual code \(terminal.styled(matter.manualCode, .bold))",
    "  payload     \(matter.qrText)",
  ]
  if let trustAnchor = accessory.trustAnchor { lines.append("  to trust    \(trustAnchor)") }
  if let code = QRCode(matter.qrText) { lines += code.lines(terminal.hasColour ? .colour : .plain).map { "  " + $0 } }
  return lines
}
