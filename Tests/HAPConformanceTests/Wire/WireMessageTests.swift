import HAPSuite
import HAPWire
import Testing

@testable import HAPExpectation

@Suite("Parsed messages of the accessory") struct WireMessageTests {
  private func message(_ text: String) throws -> WireMessage {
    var bytes = Array(text.utf8)
    var parser = HTTPResponseParser()
    return try bytes.withUnsafeMutableBytes { buffer in
      guard case .message(let head, let body, let consumed) = parser.parse(buffer) else {
        throw StepError(.text(text), "no message")
      }
      return WireMessage(
        head, raw: Array(buffer[..<consumed]), body: Array(buffer[body]), frames: [], isSealed: false, time: .zero)
    }
  }

  @Test("Status line and fields are kept, names in lower case, values without surrounding blanks") func head() throws {
    let message = try message(
      "HTTP/1.1 207 Multi-Status\r\nContent-Type: Application/HAP+JSON; charset=utf-8\r\nX-Odd :  a: b \t\r\nx-odd:c\r\nContent-Length: 2\r\n\r\nab"
        .replacing("X-Odd :", with: "X-Odd:"))
    #expect(message.version == "HTTP/1.1" && message.status == 207 && message.reason == "Multi-Status")
    #expect(message.title == "HTTP/1.1 207 Multi-Status" && message.type == "application/hap+json")
    #expect(message.fields.map(\.name) == ["content-type", "x-odd", "x-odd", "content-length"])
    #expect(message.fields.map(\.value) == ["Application/HAP+JSON; charset=utf-8", "a: b", "c", "2"])
    #expect(message.field("x-odd") == "a: b" && message.field("none") == nil && message.body == [97, 98])
  }

  @Test(
    "Reasons may be missing or have blanks; lines may end without CR; leading empty lines are ignored",
    arguments: [
      ("HTTP/1.1 204\r\n\r\n", "HTTP/1.1 204", ""),
      ("HTTP/1.0 204 No Content\n\n", "HTTP/1.0 204 No Content", "No Content"),
      ("\r\nHTTP/1.1 204 \r\n\r\n", "HTTP/1.1 204", ""), ("EVENT/1.0 204 a  b\r\n\r\n", "EVENT/1.0 204 a  b", "a  b"),
    ])
  func lines(_ text: String, _ title: String, _ reason: String) throws {
    let message = try message(text)
    #expect(message.title == title && message.reason == reason && message.isEvent == text.hasPrefix("EVENT"))
    #expect(message.type == nil && message.fields.isEmpty)
  }
}

@Suite("Answers in steps") struct AnswerViewTests {
  private func view(_ text: String, took: Duration = .milliseconds(12)) throws -> AnswerView {
    var bytes = Array(text.utf8)
    var parser = HTTPResponseParser()
    return try bytes.withUnsafeMutableBytes { buffer in
      guard case .message(let head, let body, let consumed) = parser.parse(buffer) else {
        throw StepError(.text(text), "no message")
      }
      let message = WireMessage(
        head, raw: Array(buffer[..<consumed]), body: Array(buffer[body]), frames: [.init(counter: 4, count: 9)],
        isSealed: true, time: .milliseconds(1500))
      return AnswerView(arrival: .message(message), took: took)
    }
  }

  @Test(
    "Paths lead to all parts of an answer",
    arguments: [
      ("status", "200"), ("version", "HTTP/1.1"), ("reason", "OK"), ("type", "application/hap+json"),
      ("chunked", "false"),
      ("sealed", "true"), ("size", "15"), ("body", "7b2261223a5b312c7b2262223a327d5d7d"), ("frames", "[9]"),
      ("frames[0]", "9"),
      ("headers.content-length", "'17'"), ("headers.x", "'a, b'"), ("json.a[1].b", "2"), ("json.a.count", "2"),
      ("time", "12"),
      ("at", "1500"), ("closed", "false"), ("silent", "false"),
    ])
  func paths(_ path: String, _ value: String) throws {
    let view = try view(
      "HTTP/1.1 200 OK\r\nContent-Type: application/hap+json\r\nX: a\r\nx: b\r\nContent-Length: 17\r\n\r\n{\"a\":[1,{\"b\":2}]}"
    )
    let expected = try yaml(path == "size" ? "17" : value)
    #expect(try #require(view.value(path)).says(expected), "\(path)")
    for nowhere in ["what", "json.b", "tlv.state", "headers.y", "frames[1]", ""] { #expect(view.value(nowhere) == nil) }
  }

  @Test("TLV8 items are available by name, in order, and between separators") func tlv() throws {
    let body: [UInt8] = [6, 1, 2, 7, 1, 2, 1, 1, 65, 255, 0, 1, 1, 66, 11, 1, 1, 8, 2, 0, 1, 0x7F, 1, 0xAA, 7, 1, 99]
    let variable = AnswerView.variable(try TLV(decoding: body))
    let wanted = """
      { state: 2, error: authentication, identifier: A, permissions: 1, retry-delay: 256, '0x7f': aa, separator: "",
        order: [state, error, identifier, separator, identifier, permissions, retry-delay, '0x7f', error],
        list: [{ error: authentication, identifier: A }, { identifier: B, permissions: 1, retry-delay: 256, '0x7f': aa, error: 99 }] }
      """
    #expect(try Pattern.mismatch(variable, yaml(wanted)) == nil)
  }

  @Test("Items of the wrong length are shown unchanged") func oddItems() throws {
    let variable = AnswerView.variable(
      TLV([
        .init(type: 6, value: []), .init(type: 7, value: [1, 2]),
        .init(type: 8, value: [UInt8](repeating: 1, count: 9)),
      ]))
    #expect(variable["state"]?.stringValue == "" && variable["error"]?.stringValue == "0102")
    #expect(variable["retry-delay"]?.stringValue == "010101010101010101")
  }

  @Test("An arrival that isn't a message has a close or silence, and no other member") func none() throws {
    let closed = AnswerView(arrival: .closed(reset: true, time: .zero), took: .zero)
    let silent = AnswerView(arrival: .silence(.seconds(2)), took: .zero)
    let garbage = AnswerView(arrival: .garbage(reason: "no HTTP", bytes: [1, 2], time: .zero), took: .zero)
    #expect(closed.value("closed")?.boolValue == true && silent.value("silent")?.boolValue == true)
    for view in [closed, silent, garbage] { #expect(view.value("status") == nil && view.value("json") == nil) }
    #expect(
      [closed.summary, silent.summary, garbage.summary] == [
        "the connection was reset", "no answer within 2s", "no HTTP: 0102",
      ])
    #expect(try view("HTTP/1.1 204 No Content\r\n\r\n").summary == "HTTP/1.1 204 No Content, no body")
    let long = try view("HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + String(repeating: "x", count: 9000))
    #expect(long.summary.count < 350 && long.summary.hasSuffix("…"))
  }
}
