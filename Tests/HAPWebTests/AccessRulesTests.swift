import HAPWire
import Testing

@testable import HAPWeb

@Suite("Access rules") struct AccessRulesTests {
  private func outcome(
    _ fields: [(name: String, value: String)], path: [String] = ["v1", "accessories"], token: String? = nil
  ) -> Int {
    let request = WebRequest("GET", path: path, fields: fields.map { HTTPField($0.name, $0.value) })
    do throws(WebProblem) {
      try AccessRules(token: token, hostName: "Studio").check(request)
      return 200
    } catch { return error.status }
  }

  @Test(
    "A numeric address and localhost are accepted as Host",
    arguments: [
      "127.0.0.1", "127.0.0.1:8080", "localhost", "LocalHost:8080", "192.168.1.2:80", "[::1]", "[::1]:8080",
      "[fd00::1]:1",
    ])
  func ours(_ host: String) { #expect(outcome([("host", host)]) == 200) }

  @Test(
    "The machine's own name is accepted as Host only if a token is required",
    arguments: ["studio", "studio:8080", "Studio.local:8080"])
  func ownName(_ host: String) {
    #expect(outcome([("host", host)]) == 403)
    #expect(outcome([("host", host), ("authorization", "Bearer secret-1")], token: "secret-1") == 200)
  }

  @Test(
    "Any other host is refused, because its name may be resolved to this machine by an attacker",
    arguments: [
      "", "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1:x",
      "127.0.0.1:99999", "[::1", "[::1]x", "[127.0.0.1]", "::1", "studio.evil", "0x7f.1", "127.0.0.1:80:80", "[]",
      "localhost:", "127.0.0.1 ", "[::1]:-0", "[::1]:+80", "127.0.0.1:-0", "localhost:+8080", "localhost:٣",
    ])
  func foreign(_ host: String) { #expect(outcome([("host", host)]) == 403) }

  @Test("A request without a Host, or with two, is refused") func count() {
    #expect(outcome([]) == 403)
    #expect(outcome([("host", "127.0.0.1"), ("host", "127.0.0.1")]) == 403)
  }

  @Test(
    "Only pages of the same origin may send requests",
    arguments: [
      ("http://127.0.0.1:8080", 200), ("HTTP://127.0.0.1:8080", 200), ("http://127.0.0.1:8081", 403),
      ("https://127.0.0.1:8080", 403), ("http://localhost:8080", 403), ("null", 403), ("", 403),
      ("http://evil.example", 403),
    ])
  func origin(_ origin: String, _ status: Int) {
    #expect(outcome([("host", "127.0.0.1:8080"), ("origin", origin)]) == status)
  }

  @Test(
    "Sec-Fetch-Site is checked: requests of other sites are refused",
    arguments: [
      ("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403), ("", 403),
    ])
  func site(_ site: String, _ status: Int) {
    #expect(outcome([("host", "localhost"), ("sec-fetch-site", site)]) == status)
  }

  @Test("A link on another site may open the page, but no other resource") func links() {
    let link: [(name: String, value: String)] = [
      ("host", "localhost"), ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"),
      ("sec-fetch-dest", "document"),
    ]
    #expect(outcome(link, path: []) == 200)
    #expect(outcome(link) == 403)
    #expect(outcome(link.dropLast() + [("sec-fetch-dest", "iframe")], path: []) == 403)
    #expect(outcome(link.map { $0.value == "navigate" ? ($0.name, "no-cors") : $0 }, path: []) == 403)
  }

  @Test("With a token, the API requires it, and the page doesn't") func token() {
    let host = (name: "host", value: "192.168.1.2:8080")
    func outcome(_ authorization: String?, path: [String] = ["v1"]) -> Int {
      self.outcome([host] + (authorization.map { [("authorization", $0)] } ?? []), path: path, token: "secret-1")
    }
    #expect(outcome("Bearer secret-1") == 200)
    #expect(outcome("bearer secret-1") == 200)
    for wrong in [
      nil, "", "Bearer", "Bearer ", "Bearer secret-", "Bearer secret-11", "Bearer Secret-1", "Basic secret-1",
      "secret-1",
    ] {
      #expect(outcome(wrong) == 401, "\(wrong ?? "nothing")")
    }
    #expect(outcome(nil, path: []) == 200)
    #expect(outcome(nil, path: ["page.css"]) == 200)
    #expect(outcome(nil, path: ["v1", "anything"]) == 401)
  }
}
