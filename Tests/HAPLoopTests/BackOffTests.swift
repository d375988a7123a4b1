import HAPLoop
import Testing

@Suite struct BackOffTests {
  @Test("The delays double up to a minute, and a success resets them") func waits() {
    var backOff = BackOff()
    #expect((0..<9).map { _ in backOff.delay() } == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    backOff.reset()
    #expect(backOff.delay() == .seconds(1))
  }
}
