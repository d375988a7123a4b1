import HAPModel
import HAPWire
import Testing

@testable import HAPSuite

@Suite("The shape checker") struct ShapeCheckerTests {
  private static let steps: [Mistake] = [
    Mistake("sent: { path: / }", 9, ".sent", "unknown step \"sent\": did you mean \"send\"?"),
    Mistake("xylophone: 1", 9, ".xylophone", "unknown step \"xylophone\""),
    Mistake("{ verify: main, wait: 1s }", 9, "", "a step has one verb, not 2"),
    Mistake("{ note: nothing }", 9, "", "a step needs a verb"), Mistake("{}", 9, "", "a step needs a verb"),
    Mistake("verify", 9, "", "a step is an object with one verb"),
    Mistake("secure: { on: main }", 17, ".secure", "\"with\" is missing"),
    Mistake("send: { pth: / }", 17, ".send.pth", "there is no member \"pth\" here: did you mean \"path\"?"),
    Mistake("send: main", 15, ".send", "an object is expected, not a string"),
    Mistake("secure: { with: verfy }", 25, ".secure.with", "\"verfy\" is not allowed here: did you mean \"verify\"?"),
    Mistake("secure: { with: 3 }", 25, ".secure.with", "one of transient, verify is expected"),
    Mistake("secure: { with: zzzzzzzzz }", 25, ".secure.with", "there are transient, verify"),
    Mistake("wait: 2 seconds", 15, ".wait", "a duration such as 500ms or 2s is expected, not \"2 seconds\""),
    Mistake("wait: 5", 15, ".wait", "a duration"), Mistake("wait: -1s", 15, ".wait", "a duration"),
    Mistake("alive: maybe", 16, ".alive", "true or false is expected"),
    Mistake("repeat: { times: -1, steps: [] }", 26, ".repeat.times", "-1 is not in 0...1000000"),
    Mistake("repeat: { times: 1.5, steps: [] }", 26, ".repeat.times", "an integer is expected"),
    Mistake("repeat: { times: 2, steps: { wait: 1s } }", 36, ".repeat.steps", "a list of steps is expected"),
    Mistake(
      "repeat: { times: 2, steps: \"${code}\" }", 36, ".repeat.steps", "a variable is not allowed instead of steps"),
    Mistake("repeat: { times: 2, steps: [{ wiat: 1s }] }", 39, ".repeat.steps[0].wiat", "did you mean \"wait\"?"),
    Mistake("together: { wait: 1s }", 19, ".together", "a list is expected"),
    Mistake("let: 5", 14, ".let", "an object is expected"),
    Mistake("connect: [main]", 18, ".connect", "is not allowed here"),
  ]

  @Test("A malformed step is reported with its place and a suggestion", arguments: steps)
  func wrongStep(_ mistake: Mistake) throws { try mistake.check() }

  private static let bytes: [Mistake] = [
    Mistake(
      "send: { body: \"abc\" }", 23, ".send.body",
      "hexadecimal text is expected: write the bytes of a text as { text: … }"),
    Mistake("send: { body: 12 }", 23, ".send.body", "bytes are hexadecimal text in quotes, or an object, not"),
    Mistake("send: { raw: [\"aa\", \"zz\"] }", 29, ".send.raw[1]", "hexadecimal text"),
    Mistake("send: { raw: { zeroes: 5 } }", 24, ".send.raw.zeroes", "did you mean \"zeros\"?"),
    Mistake("send: { raw: { random: -3 } }", 32, ".send.raw.random", "-3 is not in 0...1000000"),
    Mistake(
      "send: { tlv: { stat: 1 } }", 30, ".send.tlv.stat", "unknown item \"stat\": did you mean \"state\"?; a number"
    ),
    Mistake("send: { tlv: { 256: 1 } }", 29, ".send.tlv.256", "unknown item \"256\""),
    Mistake("send: { tlv: { state: 1.5 } }", 31, ".send.tlv.state", "a number or bytes"),
    Mistake("send: { tlv: { salt: hello } }", 30, ".send.tlv.salt", "hexadecimal text"),
    Mistake("send: { tlv: { error: authentification } }", 31, ".send.tlv.error", "hexadecimal text"),
    Mistake("send: { tlv: [[state]] }", 23, ".send.tlv[0]", "an item is a pair [type, value]"),
    Mistake("send: { tlv: [{ state: 1 }] }", 23, ".send.tlv[0]", "an item is a pair"),
    Mistake("send: { setup: M3, alter: [{ drop: prof }] }", 44, ".send.alter[0].drop", "did you mean \"proof\"?"),
    Mistake("send: { setup: M3, alter: [{ dorp: proof }] }", 38, ".send.alter[0].dorp", "did you mean \"drop\"?"),
    Mistake("send: { setup: M3, alter: [{ drop: proof, cut: 1 }] }", 36, ".send.alter[0]", "one member"),
    Mistake("send: { setup: M3, alter: [cut] }", 36, ".send.alter[0]", "one member"),
    Mistake("send: { setup: M3, alter: { cut: 1 } }", 35, ".send.alter", "a list of alterations"),
    Mistake("send: { setup: M3, alter: [{ flip: { item: prof, at: 0 } }] }", 52, ".send.alter[0].flip.item", "proof"),
    Mistake(
      "send: { setup: M3, alter: [{ extend: { item: proof } }] }", 46, ".send.alter[0].extend", "\"by\" is missing"),
    Mistake("send: { setup: M3, public-key: large }", 40, ".send.public-key", "hexadecimal text"),
    Mistake("send: { setup: M2 }", 24, ".send.setup", "\"M2\" is not allowed here"),
  ]

  @Test("Malformed bytes, items and alterations are found", arguments: bytes)
  func wrongBytes(_ mistake: Mistake) throws { try mistake.check() }

  private static let patterns: [Mistake] = [
    Mistake(
      "expect: { status: { $mni: 200 } }", 35, ".expect.status.$mni",
      "unknown constraint \"$mni\": did you mean \"$min\"?"),
    Mistake(
      "expect: { json: { a: 1, $min: 200 } }", 25, ".expect.json", "cannot be mixed with names of members: use $all"),
    Mistake(
      "expect: { json: { a: { $matches: \"(\" } } }", 42, ".expect.json.a.$matches", "invalid regular expression"),
    Mistake("expect: { json: [{ $any: [{ $mx: 1 }] }] }", 42, ".expect.json[0].$any[0].$mx", "$max"),
    Mistake("expect: { tlv: { erorr: 1 } }", 33, ".expect.tlv.erorr", "did you mean \"error\"?"),
    Mistake("expect: { tlv: 5 }", 24, ".expect.tlv", "an object is expected"),
    Mistake("expect: { headers: [a] }", 28, ".expect.headers", "an object is expected"),
    Mistake("expect: refusde", 17, ".expect", "the suite has no expectation \"refusde\": did you mean \"refused\"?"),
    Mistake("expect: { is: nothing-like-it }", 23, ".expect.is", "the suite has no expectation \"nothing-like-it\""),
    Mistake("expect: { any: [refuse] }", 25, ".expect.any[0]", "did you mean \"refused\"?"),
    Mistake("expect: { any: [{ is: refuse, status: 1 }] }", 31, ".expect.any[0].is", "did you mean \"refused\"?"),
    Mistake("expect: { any: [{ statsu: 1 }] }", 27, ".expect.any[0].statsu", "did you mean \"status\"?"),
    Mistake("expect: { any: [] }", 24, ".expect.any", "must list at least one alternative"),
    Mistake("expect: { within: 1s }", 17, ".expect", "nothing is expected here"),
    Mistake("expect: {}", 17, ".expect", "nothing is expected here"),
    Mistake("expect: { deviation: HAP-python }", 17, ".expect", "nothing is expected here"),
    Mistake("event: { on: main, only: true }", 16, ".event", "nothing is expected here"),
    Mistake("expect: { setup: M3 }", 26, ".expect.setup", "\"M3\" is not allowed here"),
    Mistake("expect: { closed: maybe }", 27, ".expect.closed", "\"maybe\" is not allowed here"),
  ]

  @Test("Expectations and patterns that never hold, or always hold, are found", arguments: patterns)
  func wrongPattern(_ mistake: Mistake) throws { try mistake.check() }

  private static let subjects: [Mistake] = [
    Mistake(
      "find: { a: { type: Brightnes } }", 28, ".find.a.type",
      "no characteristic \"Brightnes\": did you mean \"Brightness\"?"),
    Mistake("find: { a: { kind: service, type: Brightness } }", 43, ".find.a.type", "no service \"Brightness\""),
    Mistake("find: { a: { service: LightBulbb } }", 31, ".find.a.service", "did you mean \"LightBulb\"?"),
    Mistake("find: { a: { type: [On, Of] } }", 33, ".find.a.type[1]", "did you mean \"On\"?"),
    Mistake("find: { a: { format: bolean } }", 30, ".find.a.format", "unknown format \"bolean\""),
    Mistake("find: { a: { perms: [pr, px] } }", 34, ".find.a.perms[1]", "unknown permission \"px\""),
    Mistake("find: { a: { without: [ww] } }", 32, ".find.a.without[0]", "unknown permission \"ww\""),
    Mistake("find: { a: { typ: On } }", 22, ".find.a.typ", "did you mean \"type\"?"),
    Mistake("find: { a: { kind: services } }", 28, ".find.a.kind", "did you mean \"service\"?"),
    Mistake("find: { a: { aid: brigde } }", 27, ".find.a.aid", "did you mean \"bridge\"?"),
    Mistake("find: { a: { aid: 0 } }", 27, ".find.a.aid", "0 is not in 1..."),
    Mistake("find: { a: On }", 20, ".find.a", "an object is expected"),
    Mistake("find: { a: { kind: accessory, with: Lightbulbs } }", 45, ".find.a.with", "did you mean \"LightBulb\"?"),
    Mistake(line: "find: { a: { type: Onn } }", 24, ".find.a.type", "did you mean \"On\"?"),
  ]

  @Test("A search for a type that isn't in the catalogue is a mistake", arguments: subjects)
  func wrongSubject(_ mistake: Mistake) throws { try mistake.check() }

  @Test(
    "Valid steps are accepted",
    arguments: [
      "expect: refused", "{ note: an explanation, verify: main }", "send: { path: /, x-why: because }",
      "wait: ${code}", "expect: { status: \"${code}\" }", "expect: { any: \"${claims.x}\" }",
      "expect: { any: [refused, { status: 500 }] }",
      "expect: { is: refused, closed: false }", "expect: { save: { a: status } }", "expect: ${code}",
      "expect: { status: { $any: [200, 204] }, json: { a: { $all: [{ $min: 1 }, { $max: 2 }] } } }",
      "expect: { json: { $is: { a: 1, $b: 2 } } }", "expect: { json: { a: { $matches: \"${code}(\" } } }",
      "expect: { tlv: { list: [], order: [state], 0x7F: $absent, $only: { state: 2 } } }",
      "expect: { closed: reset }", "expect: { closed: true }", "expect: { body: empty }",
      "expect: { body: { $bytes: 5 } }",
      "send: { tlv: { state: 1, identifier: any text, error: busy, \"0x7F\": \"aabb\", \"127\": { zeros: 5 } } }",
      "send: { tlv: [[state, 1], [0x7F, \"aa\"], [state, [\"aa\", { text: b }]]] }",
      "send: { setup: M3, public-key: zero }", "send: { setup: M3, public-key: \"aabb\" }",
      "send: { setup: M3, alter: [{ flip: proof }, { flip: { item: proof, at: -1 } }, { drop: \"${code}\" }] }",
      "send: { write: [{ id: 1.9, value: { any: thing } }], pieces: [1, 2], split: 5 }",
      "find: { a: { type: 43 }, b: { type: 7E536242-341C-4862-BE90-272CE15B0000 }, c: { aid: bridged } }",
      "find: { a: { type: \"${variant}\", perms: [\"${variant}\"] } }",
    ])
  func right(_ step: String) throws {
    let problems = try SuiteText.problems(SuiteText.steps(step))
    #expect(problems.isEmpty, "\(problems)")
  }
}
