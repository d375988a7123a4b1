import HapsimFiles
import HAPCommandLine
import HAPLoop

/// The settings of the control API and the page: whether and where they listen, and who may use them.
package struct ControlChoice: Equatable, Sendable {
  /// The address; nil: the control API is off.
  package var place: SocketAddress?
  /// Whether the user chose the port. If so, a port in use is an error.
  package var isPortGiven = false
  /// The token that each request must send; nil: none, which is permitted only on loopback.
  package var token: String?
  /// Whether the user asked for the control API. If so, hapsim fails if it can't listen.
  package var isGiven = false
  /// Whether hapsim opens the page in a browser.
  package var opensPage = false

  /// The default port. It is fixed, so that an open page finds hapsim again after a restart. 427 is "HAP" on a
  /// telephone's keys.
  package static let standardPort: UInt16 = 9427
  /// The default ports. If several processes run at once, each takes the next free port.
  private static let standardPorts = standardPort..<standardPort + 10

  package static let standard = ControlChoice(place: SocketAddress(host: .loopbackV4, port: standardPort))

  /// The ports to try, in this order; 0 is any free port. With a token there is only one port: a page that is open at
  /// the default port would otherwise send its token to the program that uses this port.
  package var ports: [UInt16] {
    guard let place else { return [] }
    return isPortGiven || token != nil ? [place.port] : Self.standardPorts + [0]
  }

  /// Returns the option that chose the address, or advice if the port is in use.
  package func demand(after error: LoopError) -> String {
    guard error.code == .addressInUse, !isPortGiven, token != nil else {
      return place.map { "set by --control \($0)" } ?? ""
    }
    return "with a token, hapsim tries no other port; select one with --control PORT"
  }

  package enum Place: Sendable {
    case off
    case at(IPAddress, port: UInt16?)
  }

  package static let placeOption = Option<Place>(
    "control", "ADDR:PORT",
    "the address of the control API and the page, or off (default: 127.0.0.1:\(standardPort), or the next free port)",
    read: { (text: String) throws(UsageError) in text == "off" ? .off : try place(text) })

  package static let openFlag = Flag("open", "open the page in a browser when the accessories run")

  package static let tokenOption = Option<String>(
    "control-token", "TOKEN",
    "the token that requests to the control API must send, as 'Authorization: Bearer TOKEN'; required beyond loopback",
    read: { (text: String) throws(UsageError) in try token(text) })

  package static let tokenFileOption = Option<String>(
    "control-token-file", "FILE", "read the token from the file's first line, which hides it from the process list",
    read: { (path: String) throws(UsageError) in
      let bytes: [UInt8]
      do throws(FileError) { bytes = try readFile(path) } catch { throw UsageError(error) }
      return try token(String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self))
    })

  private static func token(_ text: String) throws(UsageError) -> String {
    guard text.utf8.count >= 8, text.utf8.count <= 512, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw UsageError("a token has 8 to 512 ASCII characters, without spaces")
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
        throw UsageError(
          "--control off and --control-token exclude each other: without the control API there is no use for a token")
      }
      return
    }
    if token != nil { isGiven = true }
    guard place.host.isLoopback || token != nil else {
      throw UsageError(
        "--control \(place): an address beyond loopback needs --control-token TOKEN, because other machines could control the accessories"
      )
    }
  }

  private static func place(_ text: String) throws(UsageError) -> Place {
    guard let address = ListeningAddress(text) else { throw form }
    return .at(address.host, port: address.port)
  }

  private static var form: UsageError {
    UsageError("expected an address and a port, such as 127.0.0.1:8080, 8080 or [::1]:8080, or off")
  }
}
