/// All that steps can say.
package enum Vocabulary {
  /// In the order of the documentation.
  package static let verbs: [Verb] = connections + messages + procedures + values + flow + world

  /// - Returns: `nil` if there is no step of this name.
  package static func verb(_ name: String) -> Verb? { StepName(rawValue: name).flatMap { byStep[$0] } }

  private static let byStep = Dictionary(uniqueKeysWithValues: verbs.map { ($0.step, $0) })

  static let count: Shape = .integer(0...1_000_000)
  static let connection = ShapeMember("on", .text, "the connection's name; `main` without it")
  static let within = ShapeMember("within", .duration, "how long to wait; 10s without it")

  // MARK: Connections

  private static let connections = [
    Verb(
      .connect,
      .either([
        .text,
        .object([
          connection, within,
          ShapeMember(
            "save", .text,
            "a variable for how it went (connected, refused, silent, or unreachable: there is no way from here); without it the case fails unless connected"
          ),
          ShapeMember("address", .text, "another address of the accessory than the usual one"),
        ]),
      ]),
      "Opens a TCP connection. One that isn't open is opened by its first `send`, too."),
    Verb(
      .close,
      .either([
        .text,
        .object([
          connection,
          ShapeMember(
            "how", .word(["fin", "reset", "half"]),
            "an orderly end, a reset, or the end of sending alone; `fin` without it"),
        ]),
      ]),
      "Ends a connection."),
    Verb(
      .secure,
      .object([
        connection, procedure,
        ShapeMember(
          "with", .word(["transient", "verify"]), required: true,
          "the keys of a transient Pair Setup, or of a Pair Verify"),
      ]),
      "Seals all further bytes of a connection, both ways. A good `expect: { verify: M4 }` does it by itself."),
    Verb(
      .reading,
      .object([connection, ShapeMember("paused", .bool, required: true, "whether nothing more is read from it")]),
      "Stops reading a connection, so that what comes piles up at the accessory, or goes on."),
    Verb(
      .settle, .either([.bool, .text]),
      "Waits until the accessory has noticed the end of all connections that the case closed."),
  ]

  static let procedure = ShapeMember("procedure", .text, "the procedure's name; the connection's without it")

  // MARK: Procedures

  private static let procedures = [
    Verb(
      .pair,
      .either([
        .text,
        .object([
          connection, procedure, ShapeMember("as", .text, "the controller; `admin` without it"),
          ShapeMember("code", .text, "in place of the right one"),
          ShapeMember(
            "until", .word(["M2", "M4", "M6"]),
            "the last message that is waited for; what follows is up to further steps"),
          ShapeMember(
            "reconnect", .bool, "where the accessory has ended the connection it is opened anew; else that is a failure"
          ),
          ShapeMember("save", .map(.text), "variables, by paths into the last answer: `tlv.public-key`, `tlv.salt`"),
        ]),
      ]),
      "Pair Setup from M1 to M6, as it should be. A key B that begins with zero is not gone on with, since there stacks part ways."
    ),
    Verb(
      .verify,
      .either([
        .text,
        .object([
          connection, ShapeMember("as", .text, "the controller; `admin` without it"),
          ShapeMember(
            "reconnect", .bool, "where the accessory has ended the connection it is opened anew; else that is a failure"
          ),
        ]),
      ]),
      "Pair Verify as it should be; the connection is secured behind it. Text is the connection's name."),
    Verb(
      .controller,
      .object([
        ShapeMember("name", .text, required: true, "by which steps call it"),
        ShapeMember("paired", .bool, "whether an admin adds it to the accessory; true without it"),
        ShapeMember("permissions", .word(["user", "admin"]), "`user` without it"),
        ShapeMember("id", .bytes, "its identifier; an upper-case UUID without it"),
        ShapeMember("key-of", .text, "another controller, whose key it has"),
      ]),
      "Makes a controller. What the case adds to the accessory is removed behind it."),
    Verb(
      .unpair, .either([.text, .bool]),
      "Removes a controller's pairing, as an admin; `true` all of them, so that the accessory is unpaired."),
  ]

  // MARK: Values

  private static let values = [
    Verb(.let, .map(.any), "Gives variables values."),
    Verb(.make, .map(.bytes), "Gives variables bytes, as hexadecimal text."),
    Verb(
      .collect, .map(.any),
      "Adds values to lists, which begin empty. Of numbers, `${list.median}` and `${list.p99}` can be told."),
    Verb(
      .check,
      .either([.object(checkMembers), .list(.object(checkMembers))]),
      "Judges values."),
    Verb(
      .find, .map(.subject),
      "Looks for characteristics, services or accessories in the database; without one the case is skipped."),
    Verb(
      .database,
      .either([
        .bool,
        .object([
          connection, ShapeMember("save", .text, "a variable for it"),
          ShapeMember("bytes", .text, "a variable for the body's bytes"),
        ]),
      ]),
      "Reads /accessories anew, on a session."),
    Verb(
      .lint,
      .object([
        ShapeMember("rules", .list(.text), required: true, "rules of `haptest lint`, by id or name"),
        ShapeMember("of", .any, "the database's bytes; those last read without it"),
        ShapeMember("again", .any, "the bytes of a second reading, for values that could not be read just then"),
      ]),
      "Holds the database against rules. In a case of level must, what only should be isn't wrong, but not strict."),
    Verb(
      .compare,
      .object([
        ShapeMember("old", .any, required: true, "bytes of a database"),
        ShapeMember("new", .any, required: true, "bytes of another; of `values`: of an answer to a `read`, too"),
        ShapeMember(
          "what", .word(["structure", "reused-ids", "values"]), required: true,
          "ids, types and metadata; ids that got another meaning; or values of what both have"),
        ShapeMember(
          "again", .any, "of `values`: bytes of a later reading; only what is the same in it as in `old` is judged"),
        ShapeMember("save", .text, "a variable for the list of differences; without it any is a failure"),
      ]), "Compares two databases."),
    Verb(.record, .text, "Notes something for the reports."),
    Verb(.deviation, .text, "Notes that it isn't strict, and who else does so."),
    Verb(.fail, .text, "Fails."),
    Verb(.skip, .text, "Ends the case as skipped."),
    Verb(.mark, .text, "Notes the time; `${elapsed.NAME}` is in milliseconds since."),
  ]

  private static let checkMembers: [ShapeMember] = [
    ShapeMember("that", .any, required: true, "a value"),
    ShapeMember("is", .pattern, required: true, "what it shall be"),
    ShapeMember("because", .text, "said when it isn't"),
    ShapeMember("deviation", .text, "who does otherwise: then it isn't wrong, only not strict"),
  ]

  // MARK: Flow

  private static let flow = [
    Verb(
      .repeat,
      .object([
        ShapeMember("times", Vocabulary.count, required: true, "how often"),
        ShapeMember("as", .text, "a variable that counts, from 0"),
        ShapeMember(
          "until",
          .object([
            ShapeMember("that", .any, required: true, "a value"),
            ShapeMember("is", .pattern, required: true, "what ends it"),
            ShapeMember("because", .text, "said when it isn't met"),
          ]), "ends it early; looked at behind each turn"),
        ShapeMember("within", .duration, "ends with a failure when `until` isn't met in time"),
        ShapeMember("every", .duration, "between turns"),
        ShapeMember("steps", .steps, required: true, "what is repeated"),
      ]), "Goes through steps several times."),
    Verb(
      .each,
      .object([
        ShapeMember("in", .any, required: true, "a list"), ShapeMember("as", .text, required: true, "the variable"),
        ShapeMember("steps", .steps, required: true, "what is done with each"),
      ]), "Goes through steps for every element of a list."),
    Verb(
      .if,
      .object([
        ShapeMember("that", .any, required: true, "a value"),
        ShapeMember("is", .pattern, "what it shall be; true without it"),
        ShapeMember("then", .steps, "when it is"), ShapeMember("else", .steps, "when it isn't"),
      ]), "Goes one way or the other."),
    Verb(.together, .list(.steps), "Goes through several lists of steps at once."),
    Verb(.wait, .duration, "Lets time pass."),
    Verb(
      .try,
      .object([
        ShapeMember("steps", .steps, required: true, "what is tried"),
        ShapeMember("save", .text, "a variable for what went wrong; empty when nothing did"),
        ShapeMember(
          "always", .steps, "what is done behind them, however they went; without `save` what went wrong counts then"),
      ]), "Goes through steps, and on where they fail."),
    Verb(
      .do,
      .either([
        .text,
        .object([
          ShapeMember("routine", .text, required: true, "which of the suite's `routines`"),
          ShapeMember("with", .map(.any), "variables that it uses"),
        ]),
      ]), "Goes through one of the suite's routines."),
    Verb(
      .finally, .steps,
      "Goes through these steps at the end of the case, however it ends: gives back what a hook took away."),
  ]

  // MARK: The world

  package static let hookNames = HookName.allCases.map(\.rawValue)

  private static let world = [
    Verb(
      .hook,
      .object([
        ShapeMember("name", .word(hookNames), required: true, "which"),
        ShapeMember("of", .any, "what was found: a characteristic, service or accessory"),
        ShapeMember("value", .any, "for `set`, `obstruct`, `jam`, `battery`, `radio`"),
        ShapeMember("kind", .word(["single", "double", "long"]), "of `press`"),
        ShapeMember("save", .text, "a variable for what it answers"),
        ShapeMember(
          "refused", .text, "a variable for why it wasn't done, empty when it was; without it that is no verdict"),
        ShapeMember("optional", .bool, "where the hook isn't there the case goes on without"),
      ]),
      "Lets somebody do something to the device, or look at it: `identified` answers `aids`, a list of those that identified themselves since it was asked last, and perhaps `seconds`, how long the last one took."
    ),
    Verb(
      .reachable, .either([.bool, .object([within])]),
      "Waits until the accessory takes connections again, and goes by its new port and name where it has others."),
    Verb(.alive, .bool, "Fails unless the accessory answers on a new connection."),
    Verb(
      .mdns,
      .object([
        ShapeMember(
          "query", .list(.text),
          "asks for these, as `TYPE NAME`: `PTR _hap._tcp.local`; `${instance}` is the accessory's own name"),
        ShapeMember("unicast", .bool, "asks for a unicast answer (QU)"),
        ShapeMember("known", .bool, "tells the PTR record that is known already"),
        ShapeMember(
          "listen", .word(["announcement", "goodbye", "txt", "answer"]), "waits for such a packet about the accessory"),
        ShapeMember(
          "where", .map(.pattern),
          "what the packet, or the accessory that is looked for, must say: `sf`, `c#`… of its TXT, `cache-flush`, `ttl`, `unicast`, `pointer`, `port`, `name`"
        ),
        ShapeMember("absent", .bool, "fails when such a packet comes"),
        ShapeMember("since", .text, "a mark from which on packets count, or `run` for its start; now without it"),
        ShapeMember("resolve", .bool, "looks the accessory up anew, by its name"),
        ShapeMember(
          "follow", .bool,
          "looks the accessory up by its device ID, whatever it is called now, and goes by that name and port from then on"
        ),
        ShapeMember("browse", .bool, "looks for all accessories"),
        ShapeMember("claim", .text, "announces this instance name as the tester's own; `release` ends it"),
        ShapeMember("release", .bool, "withdraws what was claimed"),
        within,
        ShapeMember(
          "save", .map(.text), "variables, by paths: `txt.sf`, `time`, `name`, `port`, `addresses`, `raw`, `count`"),
      ]), "Speaks multicast DNS with sockets of its own."),
    Verb(.txt, .map(.pattern), "Judges the TXT record as it was found, by keys; `txt` in paths has it as an object."),
    Verb(.claims, .bool, "Holds the claims against what the accessory shows."),
  ]
}
