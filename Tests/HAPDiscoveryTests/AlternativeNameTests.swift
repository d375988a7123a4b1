import Testing

@testable import HAPDiscovery

#if canImport(CAvahi)
  import CAvahi
#endif

@Suite struct AlternativeNameTests {
  @Test(
    "A taken name gets a number, and then the next",
    arguments: [
      ("Lamp", "Lamp #2"), ("Lamp #2", "Lamp #3"), ("Lamp #9", "Lamp #10"), ("Lamp 2", "Lamp 2 #2"),
      ("Lamp#2", "Lamp#2 #2"),
      ("Lamp #02", "Lamp #02 #2"), ("Lamp #", "Lamp # #2"), ("#2", "#2 #2"), (" #2", " #3"), ("A #2 #7", "A #2 #8"),
      ("7", "7 #2"),
      ("Lamp #2147483646", "Lamp #2147483647"),
    ])
  func services(_ name: String, _ next: String) {
    #expect(AlternativeName.ofService(name) == next)
  }

  @Test(
    "A taken host name gets a number, and then the next",
    arguments: [
      ("lamp", "lamp-2"), ("lamp-2", "lamp-3"), ("lamp-a1", "lamp-a1-2"), ("lamp-01", "lamp-01-2"), ("7", "7-2"),
    ])
  func hosts(_ name: String, _ next: String) {
    #expect(AlternativeName.ofHost(name) == next)
  }

  @Test(
    "A number beyond all counting is taken for part of the name",
    arguments: ["Lamp #2147483647", "Lamp #99999999999999999999999"])
  func hugeNumbers(_ name: String) {
    #expect(AlternativeName.ofService(name) == name + " #2")
  }

  @Test("The longest names stay within 63 bytes, and whole characters", arguments: ["n", "ä", "門", "🚪"])
  func lengths(_ character: String) {
    var name = String(repeating: character, count: 63 / character.utf8.count)
    var seen: Set<String> = []
    for _ in 0..<120 {
      name = AlternativeName.ofService(name)
      #expect(name.utf8.count <= 63 && !name.contains("\u{FFFD}"))
      #expect(seen.insert(name).inserted)
    }
  }

  #if canImport(CAvahi)
    @Test(
      "Avahi's library would give the same names",
      arguments: ["Lamp", "Lamp #2", "Lamp #99", "Lamp #02", "ä #9", "Door #x", "#2", "A #2 #3"])
    func sameAsAvahi(_ name: String) throws {
      var name = name
      for _ in 0..<12 {
        let theirs = try #require(avahi_alternative_service_name(name))
        defer { avahi_free(theirs) }
        #expect(AlternativeName.ofService(name) == String(cString: theirs))
        name = AlternativeName.ofService(name)
      }
      let long = String(repeating: "ä", count: 31)
      let theirs = try #require(avahi_alternative_service_name(long))
      defer { avahi_free(theirs) }
      #expect(AlternativeName.ofService(long) == String(cString: theirs))
    }
  #endif
}
