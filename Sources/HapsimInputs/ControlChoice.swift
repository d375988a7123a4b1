import HapsimFiles
import HAPCommandLine
import HAPLoop

/// Whether, where and for whom the accessories can be watched and driven over HTTP.
package struct ControlChoice: Equatable, Sendable {
  /// nil: nowhere.
  package var place: SocketAddress?
  /// Whether the user chose the port: it is an error when that port is in use.
  package var isPortGiven = false
  /// What each request has to bring; nil: nothing, which only this machine's own loopback may.
  package var token: String?
  /// Whether somebody asked for it: it must be there then.
  package var isGiven = false
  /// Whether a browser is started with the page.
  package var opensPage = false

  /// Fixed, so that an open page finds hapsim again after a restart. 427 is "HAP" on a telephone's keys.
  package static let standardPort: UInt16 = 9427
  /// Where several processes run at once, each takes the next free port after the standard one.
  private static let standardPorts = standardPort..<standardPort + 10

  package static let standard = ControlChoice(place: SocketAddress(host: .loopbackV4, port: standardPort))

  /// The ports to try, in this order; 0 is any free port. With a token there is one: a page that is open at the standard port would send
  /// its token to the program that uses this port.
  package var ports: [UInt16] {
    guard let place else { return [] }
    return isPortGiven || token != nil ? [place.port] : Self.standardPorts + [0]
  }

  /// Returns why the control API must be at this place, and what the user can do if the port is in use.
  package func demand(after error: LoopError) -> String {
    guard error.code == .addressInUse, !isPortGiven, token != nil else {
      return place.map { "--control \($0) chose it" } ?? ""
    }
    return "with a token, hapsim takes no other port; choose one with --control PORT"
  }

  package enum Place: Sendable {
    case off
    case at(IPAddress, port: UInt16?)
  }

  package static let placeOption = Option<Place>(
    "control", "ADDR:PORT",
    "listen here for the control API and the page, or off (default: 127.0.0.1:\(standardPort), or the next free port)",
    read: { (text: String) throws(UsageError) in text == "off" ? .off : try place(text) })

  package static let openFlag = Flag("open", "open the page in a browser when the accessories run")

  package static let tokenOption = Option<String>(
    "control-token", "TOKEN",
    "what requests to the control API have to bring, as 'Authorization: Bearer TOKEN'; beyond loopback there has to be one",
    read: { (text: String) throws(UsageError) in try token(text) })

  package static let tokenFileOption = Option<String>(
    "control-token-file", "FILE", "the same, from the file's first line, which nobody sees in the list of processes",
    read: { (path: String) throws(UsageError) in
      let bytes: [UInt8]
      do throws(FileError) { bytes = try readFile(path) } catch { throw UsageError(error) }
      return try token(String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self))
    })

  private static func token(_ text: String) throws(UsageError) -> String {
    guard text.utf8.count >= 8, text.utf8.count <= 512, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw UsageError("a token is 8 to 512 letters, digits and signs of ASCII, without spaces")
    }
    return text
  }

  package init(place: SocketAddress?, token: String? = nil) {
    self.place = place
    self.token = token
  }

  package init(_ arguments: Arguments) throws(UsageError) {
    self = .standard
    if let given = try arguments.value(Self.placeOption) {
      switch given {
      case .off: place = nil
      case .at(let host, let port):
        place = SocketAddress(host: host, port: port ?? Self.standardPort)
        (isPortGiven, isGiven) = (port != nil, true)
      }
    }
    let (said, kept) = (try arguments.value(Self.tokenOption), try arguments.value(Self.tokenFileOption))
    guard said == nil || kept == nil else {
      throw UsageError("--control-token and --control-token-file exclude each other")
    }
    token = said ?? kept
    opensPage = arguments[Self.openFlag]
    guard let place else {
      guard !opensPage else {
        throw UsageError("--control off and --open exclude each other: without the control API there is no page")
      }
      guard token == nil else {
        throw UsageError("--control off and --control-token exclude each other: there is nobody to show a token to")
      }
      return
    }
    if token != nil { isGiven = true }
    guard place.host.isLoopback || token != nil else {
      throw UsageError(
        "--control \(place): beyond this machine's own loopback a token is needed, so that not everybody drives the accessories: --control-token TOKEN"
      )
    }
  }

  /// "127.0.0.1:8080", "8080", ":8080", "192.168.1.2", "[::1]:0".
  private static func place(_ text: String) throws(UsageError) -> Place {
    var (host, port) = (text, nil as String?)
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = String(text[text.index(after: text.startIndex)..<end])
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw form }
      port = rest.isEmpty ? nil : String(rest.dropFirst())
    } else if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      (host, port) = ("", text)
    } else if let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon {
      (host, port) = (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
    if host.isEmpty { host = "127.0.0.1" }
    if host == "localhost" { host = "127.0.0.1" }
    guard let address = try? IPAddress(host) else { throw form }
    guard let port else { return .at(address, port: nil) }
    guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port) else { throw form }
    return .at(address, port: number)
  }

  private static var form: UsageError {
    UsageError("it is an address and a port, such as 127.0.0.1:8080, 8080 or [::1]:8080, or off")
  }
}
