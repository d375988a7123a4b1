import MDNS
import Testing

@Suite struct MDNSAlternativeNameTests {
  @Test(
    "[MD.30] The next name has the next number, and at most 63 bytes",
    arguments: [
      ("Lamp", "Lamp (2)"), ("Lamp (2)", "Lamp (3)"), ("Lamp (9)", "Lamp (10)"), ("Lamp (1)", "Lamp (1) (2)"),
      ("Lamp (02)", "Lamp (02) (2)"), ("(2)", "(2) (2)"), (" (2)", " (3)"), ("Lamp ()", "Lamp () (2)"),
      (String(repeating: "x", count: 63), String(repeating: "x", count: 59) + " (2)"),
      (String(repeating: "ä", count: 31), String(repeating: "ä", count: 29) + " (2)"),
      (String(repeating: "x", count: 59) + " (9)", String(repeating: "x", count: 58) + " (10)"),
    ])
  func service(_ name: String, _ next: String) {
    #expect(AlternativeName.ofService(name) == next)
  }

  @Test(
    "[MD.30] The next host name has the next number, and at most 63 bytes",
    arguments: [
      ("lamp", "lamp-2"), ("lamp-2", "lamp-3"), ("lamp-0", "lamp-0-2"), ("lamp2", "lamp2-2"),
      (String(repeating: "x", count: 63), String(repeating: "x", count: 61) + "-2"),
    ])
  func host(_ name: String, _ next: String) {
    #expect(AlternativeName.ofHost(name) == next)
  }

  @Test("[MD.35] The next free name is found with few checks, even if many names are taken")
  func free() {
    for count in [1, 2, 3, 4, 7, 8, 100, 10_000] {
      for (first, opening, closing) in [("Lamp", " (", ")"), ("lamp", "-", "")] {
        let taken = Set([first] + (1..<count).map { "\(first)\(opening)\($0 + 1)\(closing)" })
        var questions = 0
        func isTaken(_ name: String) -> Bool {
          questions += 1
          return taken.contains(name)
        }
        let isService = opening == " ("
        let next =
          isService
          ? AlternativeName.ofService(first, isTaken: isTaken) : AlternativeName.ofHost(first, isTaken: isTaken)
        #expect(next == "\(first)\(opening)\(count + 1)\(closing)")
        #expect(questions <= 30, "\(questions) questions")
      }
    }
  }
}
