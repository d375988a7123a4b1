import Testing

@testable import HAPAlmanac

@Suite("Sunrise and sunset") struct SunTests {
  @Test("Events are those of libastro: 10 s below 65° of latitude, 2 min beyond", arguments: SunVector.all)
  func vectors(_ vector: SunVector) throws {
    let bar = abs(vector.place.latitude) < 65 ? 10 : 120
    var worst = 0
    for (day, expected) in vector.days {
      let noon = (Double(day) + 0.5 - vector.place.longitude / 360) * 86_400
      for (event, seconds) in zip([SunEvent.sunrise, .sunset], expected) {
        let found = event.time(onSolarDay: day, at: vector.place)
        #expect((found == nil) == (seconds == nil), "\(event) of day \(day): \(String(describing: found))")
        guard let found, let seconds else { continue }
        worst = max(worst, abs(Int(found.seconds) - Int(noon) - seconds))
      }
    }
    #expect(worst <= bar)
  }
}
