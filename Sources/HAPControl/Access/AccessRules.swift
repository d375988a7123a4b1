import HAPLoop

/// Who may ask. A page of another site must not reach the accessories of whoever looks at it, neither by sending requests across sites nor by
/// a name of its own that leads here (DNS rebinding); and beyond this machine nobody may who doesn't have the token.
package struct AccessRules: Sendable {
  /// What each request under `/v1` has to bring; nil: nothing.
  package let token: String?
  /// This machine's own name. It is accepted only with a token: another machine on the network can claim `NAME.local` over mDNS and change its address.
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
        403, "foreign-origin", "pages of \"\(origin.prefix(100))\" may ask nothing here: this is http://\(host)")
    }
    if let site = request[field: "sec-fetch-site"], site != "same-origin", site != "none", !isLink(request) {
      throw ControlProblem(403, "foreign-origin", "a page of another site asks, which none may here")
    }
    // The page itself is no secret, and can't bring a token before it is there.
    guard let token, request.path.first == "v1" else { return }
    guard let given = request[field: "authorization"] else {
      throw ControlProblem(401, "no-token", "the token is missing: Authorization: Bearer TOKEN")
    }
    let parts = given.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer", Self.isSame(String(parts[1]), token) else {
      throw ControlProblem(401, "wrong-token", "that is not the token")
    }
  }

  /// Whether somebody goes from another site to the page: that site learns nothing of it, and can't have it in a frame.
  private func isLink(_ request: ControlRequest) -> Bool {
    request.method == "GET" && request.path.first != "v1" && request[field: "sec-fetch-mode"] == "navigate"
      && request[field: "sec-fetch-dest"] == "document"
  }

  private var names: [String] { hostName.map { [$0, $0 + ".local"] } ?? [] }

  /// An address in digits can't be another site's name, and neither can these names.
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

  /// Takes as long whether they differ early or late.
  private static func isSame(_ given: String, _ token: String) -> Bool {
    let (given, token) = (Array(given.utf8), Array(token.utf8))
    var difference = given.count ^ token.count
    for (index, byte) in token.enumerated() { difference |= Int(byte ^ (index < given.count ? given[index] : ~byte)) }
    return difference == 0
  }
}
