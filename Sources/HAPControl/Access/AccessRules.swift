import HAPLoop

/// Access control. A page of another site must not reach the accessories of its visitor, neither by cross-site requests nor by DNS
/// rebinding. Other hosts need the token.
package struct AccessRules: Sendable {
  /// The token that each request under `/v1` must contain; nil: none.
  package let token: String?
  /// The host name of this machine. It is accepted only with a token: another machine on the network can claim `NAME.local` over mDNS and
  /// change its address.
  private let hostName: String?

  package init(token: String?, hostName: String) {
    self.token = token
    self.hostName = token == nil ? nil : hostName.lowercased()
  }

  /// - Throws: 403 for a foreign `Host`, `Origin` or `Sec-Fetch-Site`; 401 without the token.
  package func check(_ request: ControlRequest) throws(ControlProblem) {
    let hosts = request.fields.filter { $0.name == "host" }
    guard hosts.count == 1, let host = hosts.first?.value, isOurs(host) else {
      let said = hosts.map { "\"\($0.value.prefix(100))\"" }.joined(separator: ", ")
      throw ControlProblem(
        403, "foreign-host",
        "Host is \(said.isEmpty ? "missing" : said); use \((["an IP address", "localhost"] + names).joined(separator: " or "))"
      )
    }
    if let origin = request[field: "origin"], origin.lowercased() != "http://" + host.lowercased() {
      throw ControlProblem(
        403, "foreign-origin", "requests from \"\(origin.prefix(100))\" are refused; only http://\(host) is allowed")
    }
    if let site = request[field: "sec-fetch-site"], site != "same-origin", site != "none", !isLink(request) {
      throw ControlProblem(403, "foreign-origin", "requests from pages of other sites are refused")
    }
    // The page is no secret, and can't send a token before it has loaded.
    guard let token, request.path.first == "v1" else { return }
    guard let given = request[field: "authorization"] else {
      throw ControlProblem(401, "no-token", "the token is missing: Authorization: Bearer TOKEN")
    }
    let parts = given.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer", Self.isSame(String(parts[1]), token) else {
      throw ControlProblem(401, "wrong-token", "the token is wrong")
    }
  }

  /// Whether the request follows a link from another site to the page. That site can neither read the page nor embed it in a frame.
  private func isLink(_ request: ControlRequest) -> Bool {
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

  /// Compares in constant time.
  private static func isSame(_ given: String, _ token: String) -> Bool {
    let (given, token) = (Array(given.utf8), Array(token.utf8))
    var difference = given.count ^ token.count
    for (index, byte) in token.enumerated() { difference |= Int(byte ^ (index < given.count ? given[index] : ~byte)) }
    return difference == 0
  }
}
