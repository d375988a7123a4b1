import HAPWire
import Testing

@testable import HAPWeb

@Suite("Requests") struct WebRequestTests {
  private func read(_ text: String) throws -> WebRequest {
    var bytes = Array(text.utf8)
    return try bytes.withUnsafeMutableBytes { raw in
      var parser = HTTPRequestParser(limits: WebConnection.limits)
      guard case .request(let head, let body, _) = parser.parse(raw) else {
        throw WebProblem(400, "none", "no request")
      }
      return try WebRequest(head, body: body, in: UnsafeRawBufferPointer(raw))
    }
  }

  @Test("Path, query, fields and body are extracted and decoded") func all() throws {
    let request = try read(
      "PATCH /v1/a%2Fb/%C3%A9//?x=1%202&y=a+b&z HTTP/1.1\r\nHost: localhost\r\nX-Odd:  a \r\nx-odd: b\r\nContent-Length: 2\r\n\r\n{}"
    )
    #expect(request.method == "PATCH" && request.path == ["v1", "a/b", "é", "", ""])
    #expect(request.query.map { "\($0.name)=\($0.value)" } == ["x=1 2", "y=a b", "z="])
    #expect(request[field: "x-odd"] == "a, b" && request[field: "host"] == "localhost" && request[field: "nope"] == nil)
    #expect(request.body == Array("{}".utf8))
  }

  @Test("The chunks of a body are joined") func chunks() throws {
    let request = try read(
      "POST /v1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")
    #expect(request.body == Array("{}".utf8) && request[field: "host"] == "x")
  }

  @Test("Only a line feed ends a field; other line separators of Unicode don't") func ends() throws {
    let request = try read(
      "GET /v1 HTTP/1.1\r\nAccept: a\u{0B}Host: evil\u{2028}Origin: x\u{85}y: z\r\nHost: localhost\r\n\r\n")
    #expect(request.fields.map(\.name) == ["accept", "host"] && request[field: "host"] == "localhost")
  }

  @Test("A target in absolute form contains the host") func absolute() throws {
    for (target, path) in [("http://127.0.0.1:80/v1/clock?x=y", ["v1", "clock"]), ("HTTP://127.0.0.1:80", [])] {
      let request = try read("GET \(target) HTTP/1.1\r\nHost: evil\r\n\r\n")
      #expect(request.path == path && request[field: "host"] == "127.0.0.1:80")
    }
  }

  @Test("The root has no parts") func root() throws { #expect(try read("GET / HTTP/1.1\r\n\r\n").path == []) }

  @Test(
    "A malformed path is refused",
    arguments: ["*", "https://localhost/v1", "http:/v1", "v1", "/%", "/%4", "/%zz", "/%ff", "/a?%"])
  func bad(_ target: String) {
    #expect(throws: WebProblem.self) { try read("GET \(target) HTTP/1.1\r\n\r\n") }
  }

  @Test("A request with any byte changed is read or refused, and never traps") func anyByte() {
    let text =
      "PUT /v1/notes/1.2?after=1 HTTP/1.1\r\nHost: localhost:1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"a\":123}"
    let bytes = Array(text.utf8)
    for place in bytes.indices {
      for byte in [0, 9, 10, 13, 32, 37, 63, 127, 128, 255] as [UInt8] {
        var changed = bytes
        changed[place] = byte
        changed.withUnsafeMutableBytes { raw in
          var parser = HTTPRequestParser(limits: WebConnection.limits)
          guard case .request(let head, let body, _) = parser.parse(raw) else { return }
          if let request = try? WebRequest(head, body: body, in: UnsafeRawBufferPointer(raw)) {
            _ = try? WebCall<NoteOperation>(request)
            try? AccessRules(token: "12345678", hostName: "x").check(request)
          }
        }
      }
    }
  }

  @Test("A path without placeholders comes before one with them") func exact() throws {
    func call(_ method: String, _ path: String, _ body: String = "") throws -> WebCall<NoteOperation> {
      try WebCall(
        WebRequest(
          method, path: path.split(separator: "/").map(String.init),
          fields: [HTTPField("content-type", "application/json")], body: Array(body.utf8)))
    }
    #expect(try call("POST", "v1/notes/new", "not JSON").operation == .addNote)
    #expect(try call("GET", "v1/notes/one").parameter("note") == "one")
    #expect(throws: WebProblem.self) { try call("GET", "v1/notes/new") }
    #expect(throws: WebProblem.self) { try call("PUT", "v1/notes/one", "not JSON") }
    #expect(try call("PUT", "v1/notes/one", "{}").body != nil)
  }
}
