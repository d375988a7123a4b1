import HAPWire
import MatterWire
import Testing

@testable import MatterProtocol

@Suite("Session parameters") struct SessionParametersTests {
  @Test("Parameters survive writing and reading") func roundTrip() throws {
    var parameters = SessionParameters()
    parameters.idleInterval = .milliseconds(800)
    parameters.activeThreshold = .milliseconds(65_535)
    var buffer = ByteBuffer()
    parameters.encode(.anonymous, into: &buffer)
    #expect(SessionParameters(try Element(decoding: buffer.bytes)) == parameters)
  }

  @Test("Absent parameters and those out of range keep their defaults") func defaults() {
    #expect(SessionParameters(nil) == SessionParameters())
    let wrong = Element(
      .anonymous,
      .container(
        .structure,
        [
          Element(.context(1), .unsigned(3_600_001)), Element(.context(2), .text("300")),
          Element(.context(3), .unsigned(65_536)),
        ]))
    #expect(SessionParameters(wrong) == SessionParameters())
  }
}
