import HapsimInputs
import HAPPreparation
import HAPCommandLine
import HAPDiscovery
import HAPHost
import HAPLoop
import HAPModel
import HAPWire

/// An accessory that is served: who it is, where, and how to pair with it.
struct StartedAccessory: Sendable {
  let name: String
  let deviceID: DeviceID
  let setupCode: SetupCode
  let payload: SetupPayload
  let category: HAPModel.Category
  let address: IPAddress
  let port: UInt16
  /// Whether it is one of several of its profile.
  let isCopy: Bool

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

/// Says where the accessories are and how to pair with them: to people with a code to scan, to programs as the `ready` line.
/// - Parameters:
///   - backEnd: who announces them on the network; nil: nobody.
///   - control: where the control API and the page are; nil: nowhere.
///   - note: why that is another port than the standard one.
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
  if !options.quiet { lines.write(console.output.styled("Ctrl-C stops.", .dim), isDroppable: false) }
}

private func sentence(about backEnd: BackEnd.Choice?) -> String {
  switch backEnd?.backEnd {
  case nil: "Not announced on the network (--bonjour off)."
  case .daemon: "Announced by the mDNS daemon of this machine: \(backEnd?.reason ?? "")."
  case .embedded: "Announced by this process: \(backEnd?.reason ?? "")."
  }
}

/// `{"event":"ready","bonjour":"embedded","bonjourReason":"…","accessories":[…]}`
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
          }
        }
      }
    }
  }
}

/// More copies than these have a line each, and no QR code.
private let mostIntroductions = 2
/// More lines than these help nobody.
private let mostLines = 40

/// Name, address, device ID and setup code, a line each; of many the first.
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
    lines.append("… and \(started.count - shown.count) more: --json tells all of them, and so does hapsim ctl list")
  }
  return lines
}

/// Name, category, address, setup code, and the QR code in half blocks.
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
  return lines
}
