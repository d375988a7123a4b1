import HAPLoop
import HAPWire

/// Access control. A page of another site must not reach the accessories of its visitor, neither by cross-site requests nor by DNS
/// rebinding. Other hosts need the token.
package struct AccessRules: Sendable {
  /// Returns whether a token is valid. Each request under `/v1` must contain one; nil: none is needed.
  private let accepts: (@Sendable (String) -> Bool)?
  /// The host name of this machine. It is accepted only with a token: another machine on the network can claim `NAME.local` over mDNS and
  /// change its address.
  private let hostName: String?

  package init(token: String?, hostName: String) {
    guard let token else {
      self.init(hostName: hostName, accepts: nil)
      return
    }
    self.init(hostName: hostName) { token.isSame(as: $0) }
  }

  /// - Parameter accepts: takes a time that does not depend on the valid tokens; nil: no token is needed.
  package init(hostName: String, accepts: (@Sendable (String) -> Bool)?) {
    self.accepts = accepts
    self.hostName = accepts == nil ? nil : hostName.lowercased()
  }

  /// - Throws: 403 for a foreign `Host`, `Origin` or `Sec-Fetch-Site`; 401 without the token.
  package func check(_ request: WebRequest) throws(WebProblem) {
    let hosts = request.fields.filter { $0.name == "host" }
    guard hosts.count == 1, let host = hosts.first?.value, isOurs(host) else {
      let said = hosts.map { "\"\($0.value.prefix(100))\"" }.joined(separator: ", ")
      throw WebProblem(
        403, "foreign-host",
        "Host is \(said.isEmpty ? "missing" : said); use \((["an IP address", "localhost"] + names).joined(separator: " or "))"
      )
    }
    if let origin = request[field: "origin"], origin.lowercased() != "http://" + host.lowercased() {
      throw WebProblem(
        403, "foreign-origin", "requests from \"\(origin.prefix(100))\" are refused; only http://\(host) is allowed")
    }
    if let site = request[field: "sec-fetch-site"], site != "same-origin", site != "none", !isLink(request) {
      throw WebProblem(403, "foreign-origin", "requests from pages of other sites are refused")
    }
    // The page is no secret, and can't send a token before it has loaded.
    guard let accepts, request.path.first == "v1" else { return }
    guard request[field: "authorization"] != nil else {
      throw WebProblem(401, "no-token", "the token is missing: Authorization: Bearer TOKEN")
    }
    guard let token = request.token, accepts(token) else { throw .wrongToken }
  }

  /// Whether the request follows a link from another site to the page. That site can neither read the page nor embed it in a frame.
  private func isLink(_ request: WebRequest) -> Bool {
    request.method == "GET" && request.path.first != "v1" && request[field: "sec-fetch-mode"] == "navigate"
      && request[field: "sec-fetch-dest"] == "document"
  }

  private var names: [String] { hostName.map { [$0, $0 + ".local"] } ?? [] }

  /// Whether the host is this machine. A numeric address can't be another site's name, and neither can the names of this machine.
  private func isOurs(_ host: String) -> Bool {
    var name = host.lowercased()
    if name.hasPrefix("[") {
      guard let end = name.firstIndex(of: "]"), Self.isPort(name[name.index(after: end)...]) else { return false }
      return (try? IPAddress(String(name[name.index(after: name.startIndex)..<end])))?.isV6 == true
    }
    if let colon = name.firstIndex(of: ":") {
      guard Self.isPort(name[colon...]) else { return false }
      name = String(name[..<colon])
    }
    if name == "localhost" || names.contains(name) { return true }
    return (try? IPAddress(name))?.isV4 == true
  }

  /// Returns whether the text is empty, or a colon and a port: digits only, because `UInt16` accepts a sign too (RFC 3986 §3.2.3).
  private static func isPort(_ text: Substring) -> Bool {
    guard text.first == ":" else { return text.isEmpty }
    let digits = text.dropFirst()
    return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(digits) != nil
  }
}

extension WebProblem {
  package static let wrongToken = WebProblem(
    401, "wrong-token",
    "the token is not valid, or not any more: ask the person who started the program for the present one")
}

extension WebRequest {
  /// The token of the field Authorization (RFC 6750 §2.1); nil: there is none.
  package var token: String? {
    guard let given = self[field: "authorization"] else { return nil }
    let parts = given.split(separator: " ", maxSplits: 1)
    return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
  }
}
