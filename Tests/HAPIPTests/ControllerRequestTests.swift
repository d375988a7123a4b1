import HAPModel
import Testing

@testable import HAPIP

@Suite("Requests of a controller") struct ControllerRequestTests {
  private func text(_ request: ControllerRequest) -> String {
    String(decoding: request.encoded(host: "lamp.local:80"), as: UTF8.self)
  }

  @Test("A request has its fields in their order, and Content-Length only with a body")
  func encoding() {
    #expect(
      text(.accessories) == "GET /accessories HTTP/1.1\r\nHost: lamp.local:80\r\n\r\n")
    #expect(
      text(.identify) == "POST /identify HTTP/1.1\r\nHost: lamp.local:80\r\nContent-Length: 0\r\n\r\n")
    var request = ControllerRequest.write([.init(AttributeID(aid: 2, iid: 9), value: .string("é"), ev: true)])
    request.fields = ["X-One: 1", "X-Two: 2"]
    #expect(
      text(request) == """
        PUT /characteristics HTTP/1.1\r
        Host: lamp.local:80\r
        Content-Type: application/hap+json\r
        Content-Length: 62\r
        X-One: 1\r
        X-Two: 2\r
        \r
        {"characteristics":[{"aid":2,"iid":9,"value":"é","ev":true}]}
        """)
  }

  @Test("The name of a request has no query")
  func name() {
    #expect(ControllerRequest.read([AttributeID(aid: 1, iid: 2)], [.meta]).name == "GET /characteristics")
  }
}
