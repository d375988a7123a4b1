import Testing

@testable import HAPAlmanac

@Test("placeholder") func x() { #expect(ZoneRules.utc.times.isEmpty) }
