import HAPCommands
import HAPHost
import HAPLoop
import HAPWeb

/// Why a request was refused.
package typealias ControlProblem = WebProblem

/// The control API and the page of the accessories of this process, at an address of this machine. Belongs to the loop's thread.
package final class ServedControlPage {
  package let journal: ControlJournal
  private let api: ControlAPI
  private let listener: WebListener
  private let token: String?

  /// - Parameters:
  ///   - ports: the first one that no other program uses is taken; 0 is any free one.
  ///   - token: nil: none is needed.
  ///   - parts: the accessories of each loop, with this loop first.
  ///   - taker: receives commands that name no accessory.
  ///   - scenarios: makes the player of scenarios; nil: none can be played.
  /// - Throws: if it can't listen.
  package init(
    at host: IPAddress, _ ports: [UInt16], token: String?, of parts: [ControlledPart], _ taker: any CommandTaker,
    scenarios: (ControlJournal) -> (any ControlledScenarios)?, on loop: EventLoop
  ) throws(LoopError) {
    let journal = ControlJournal(on: loop) { loop.readWallClock() }
    let api = ControlAPI(parts, taker, LoopBound(here: loop, journal), scenarios: scenarios(journal), on: loop)
    let rules = AccessRules(token: token, hostName: loop.machineName)
    listener = try Self.firstFree(of: ports) { (port) throws(LoopError) in
      try WebListener(at: host, port: port, rules, journal, on: loop) { api.answer($0, then: $1) }
    }
    (self.journal, self.api, self.token) = (journal, api, token)
  }

  /// Opens the first port that no other program uses.
  private static func firstFree<Opened>(
    of ports: [UInt16], _ open: (UInt16) throws(LoopError) -> Opened
  ) throws(LoopError) -> Opened {
    for port in ports.dropLast() {
      do throws(LoopError) { return try open(port) } catch { guard error.code == .addressInUse else { throw error } }
    }
    return try open(ports.last ?? 0)
  }

  package var port: UInt16 { listener.address.port }

  /// The URL, such as "http://127.0.0.1:9427/". The page takes the token from the part after "#", which browsers never
  /// send.
  package var url: String { address + (token.map { "#token=\(percentEncoded($0))" } ?? "") }

  /// The address without the token, for another process's arguments, which every user of the machine can read.
  package var address: String {
    var address = listener.address
    if address.host.isUnspecified { address.host = .loopbackV4 }
    return "http://\(address)/"
  }

  package func close() {
    listener.close()
    api.close()
  }
}
