import HAPWire
import Testing

@Suite("Globs") struct GlobTests {
  @Test(
    "A star matches any text, and other characters themselves",
    arguments: [
      ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("a*", "a", true), ("a*", "ba", false),
      ("*a", "ba", true), ("*a", "ab", false),
      ("a*c", "abc", true), ("a*c", "ac", true), ("a*c", "acb", false), ("*b*", "abc", true),
      ("a*b*c", "a-b-b-c", true), ("a**c", "abc", true),
      ("no answer within *", "no answer within 10 s", true), ("no answer", "no answer within 10 s", false),
      ("[a]?", "[a]?", true), ("a.c", "abc", false),
      ("é*", "éa", true), ("ab", "a", false), ("*ab", "aab", true), ("*aab", "aaab", true),
    ]) func globs(_ pattern: String, _ text: String, _ fits: Bool)
  {
    #expect(Glob(pattern).matches(text) == fits)
  }

  @Test("Many stars don't slow the match down") func quick() {
    #expect(!Glob(String(repeating: "a*", count: 500) + "b").matches(String(repeating: "a", count: 5000)))
  }
}
