import HAPCommandLine
import HAPDiscovery
import HAPLoop
import HAPSimulator
import HAPWire

/// An accessory that is served, and where.
struct StartedAccessory: Sendable {
  let prepared: PreparedAccessory
  let address: IPAddress
  let port: UInt16

  init(_ prepared: PreparedAccessory, address: IPAddress, port: UInt16) {
    self.prepared = prepared
    self.address = address
    self.port = port
  }
}

/// Says where the accessories are and how to pair with them: to people with a code to scan, to programs as the `ready` line.
/// - Parameters:
///   - backEnd: who announces them on the network; nil: nobody.
///   - control: where the control API and the page are; nil: nowhere.
func announce(
  _ started: [StartedAccessory], by backEnd: BackEnd.Choice?, control: String?, _ lines: LineOutput,
  _ options: RunOptions,
  _ console: Console
) {
  if options.json { return lines.write(readyLine(started, backEnd, control: control), isDroppable: false) }
  for accessory in started {
    for line in introduction(of: accessory, console.output) { lines.write(line, isDroppable: false) }
  }
  if let control { lines.write("page and control API: " + console.output.styled(control, .bold), isDroppable: false) }
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
func readyLine(_ started: [StartedAccessory], _ backEnd: BackEnd.Choice?, control: String? = nil) -> String {
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
      json.key("accessories")
      json.array { json in
        for accessory in started {
          json.object { json in
            json.key("name")
            json.string(accessory.prepared.name)
            json.key("deviceID")
            json.string(accessory.prepared.deviceID.text)
            json.key("setupCode")
            json.string(accessory.prepared.setupCode.text)
            json.key("setupPayload")
            json.string(accessory.prepared.setupPayload.uri)
            json.key("category")
            json.string(accessory.prepared.category.slug)
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

/// Name, category, address, setup code, and the QR code in half blocks.
func introduction(of accessory: StartedAccessory, _ terminal: Terminal) -> [String] {
  let prepared = accessory.prepared
  let payload = prepared.setupPayload.uri
  var lines = [
    terminal.styled(prepared.name, .bold) + " (\(prepared.category.name))",
    "  address     \(SocketAddress(host: accessory.address, port: accessory.port))",
    "  device ID   \(prepared.deviceID.text)",
    "  setup code  \(terminal.styled(prepared.setupCode.text, .bold))",
    "  payload     \(payload)",
  ]
  if let code = QRCode(payload) { lines += code.lines(terminal.hasColour ? .colour : .plain).map { "  " + $0 } }
  return lines
}
