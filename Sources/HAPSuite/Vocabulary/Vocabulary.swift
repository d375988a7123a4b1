/// All steps of suites, with their members.
package enum Vocabulary {
  /// The steps in the order of the documentation.
  package static let verbs: [Verb] = connections + messages + procedures + values + flow + world

  /// - Returns: `nil` if there is no step of this name.
  package static func verb(_ name: String) -> Verb? { StepName(rawValue: name).flatMap { byStep[$0] } }

  private static let byStep = Dictionary(uniqueKeysWithValues: verbs.map { ($0.step, $0) })

  static let count: Shape = .integer(0...1_000_000)
  static let connection = ShapeMember("on", .text, "the name of the connection; default: `main`")
  static let within = ShapeMember("within", .duration, "the time to wait; default: 10s")

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
            "a variable for the result: connected, refused, silent or unreachable (no route); without it, the case fails unless connected"
          ),
          ShapeMember("address", .text, "an address of the accessory instead of the default one"),
        ]),
      ]),
      "Opens a TCP connection. The first `send` on a connection also opens it."),
    Verb(
      .close,
      .either([
        .text,
        .object([
          connection,
          ShapeMember(
            "how", .word(["fin", "reset", "half"]),
            "an orderly end, a reset, or the end of the sending side only; default: `fin`"),
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
      "Seals all further bytes of a connection, in both directions. A correct `expect: { verify: M4 }` does this automatically."
    ),
    Verb(
      .reading,
      .object([connection, ShapeMember("paused", .bool, required: true, "whether reading is paused")]),
      "Stops reading from a connection, so that data accumulates at the accessory, or resumes reading."),
    Verb(
      .settle, .either([.bool, .text]),
      "Waits until the accessory has noticed the end of all connections that the case closed."),
  ]

  static let procedure = ShapeMember(
    "procedure", .text, "the name of the procedure; default: the name of the connection")

  // MARK: Procedures

  private static let procedures = [
    Verb(
      .pair,
      .either([
        .text,
        .object([
          connection, procedure, ShapeMember("as", .text, "the controller; default: `admin`"),
          ShapeMember("code", .text, "a setup code instead of the correct one"),
          ShapeMember(
            "until", .word(["M2", "M4", "M6"]),
            "the last message to wait for; later steps may continue"),
          ShapeMember(
            "reconnect", .bool,
            "whether to reopen a connection that the accessory has closed; otherwise this is a failure"
          ),
          ShapeMember("save", .map(.text), "variables with paths into the last answer: `tlv.public-key`, `tlv.salt`"),
        ]),
      ]),
      "Runs a correct Pair Setup from M1 to M6. It starts again if the accessory's key B begins with zero, because stacks differ there."
    ),
    Verb(
      .verify,
      .either([
        .text,
        .object([
          connection, ShapeMember("as", .text, "the controller; default: `admin`"),
          ShapeMember(
            "reconnect", .bool,
            "whether to reopen a connection that the accessory has closed; otherwise this is a failure"
          ),
        ]),
      ]),
      "Runs a correct Pair Verify, and secures the connection afterwards. A text is the name of the connection."),
    Verb(
      .controller,
      .object([
        ShapeMember("name", .text, required: true, "the name that steps use for it"),
        ShapeMember("paired", .bool, "whether an admin adds it to the accessory; default: true"),
        ShapeMember("permissions", .word(["user", "admin"]), "the permissions of its pairing; default: `user`"),
        ShapeMember("id", .bytes, "its identifier; default: a random UUID in upper case"),
        ShapeMember("key-of", .text, "another controller whose key it uses"),
      ]),
      "Creates a controller. Its pairing is removed after the case."),
    Verb(
      .unpair, .either([.text, .bool]),
      "Removes the pairing of a controller, as an admin; `true`: all pairings, so that the accessory is unpaired."),
  ]

  // MARK: Values

  private static let values = [
    Verb(.let, .map(.any), "Assigns values to variables."),
    Verb(.make, .map(.bytes), "Assigns bytes to variables, as hexadecimal text."),
    Verb(
      .collect, .map(.any),
      "Adds values to lists, which start empty. Lists of numbers have `${list.median}` and `${list.p99}`."),
    Verb(
      .check,
      .either([.object(checkMembers), .list(.object(checkMembers))]),
      "Judges values."),
    Verb(
      .find, .map(.subject),
      "Looks for characteristics, services or accessories in the database. If one is missing, the case is skipped."),
    Verb(
      .database,
      .either([
        .bool,
        .object([
          connection, ShapeMember("save", .text, "a variable for the database"),
          ShapeMember("bytes", .text, "a variable for the bytes of the body"),
        ]),
      ]),
      "Reads /accessories again, in a session."),
    Verb(
      .lint,
      .object([
        ShapeMember("rules", .list(.text), required: true, "rules of `haptest lint`, by id or name"),
        ShapeMember("of", .any, "the bytes of a database; default: the last one read"),
        ShapeMember("again", .any, "the bytes of a second reading, for values that could not be read the first time"),
      ]),
      "Checks the database against rules. In a case of level must, a violation of a SHOULD rule makes the case NON-STRICT."
    ),
    Verb(
      .compare,
      .object([
        ShapeMember("old", .any, required: true, "bytes of a database"),
        ShapeMember(
          "new", .any, required: true, "bytes of another database; for `values` also of an answer to a `read`"),
        ShapeMember(
          "what", .word(["structure", "reused-ids", "values"]), required: true,
          "what is compared: ids, types and metadata; ids whose meaning has changed; or values of characteristics that both have"
        ),
        ShapeMember(
          "again", .any,
          "for `values`: bytes of a later reading; only values that are equal in it and in `old` are judged"),
        ShapeMember("save", .text, "a variable for the list of differences; without it, any difference is a failure"),
      ]), "Compares two databases."),
    Verb(.record, .text, "Adds a note to the reports."),
    Verb(.deviation, .text, "Makes the case NON-STRICT, with the stacks that behave the same."),
    Verb(.fail, .text, "Fails the case, with this message."),
    Verb(.skip, .text, "Ends the case as skipped."),
    Verb(.mark, .text, "Saves the time; `${elapsed.NAME}` is the time since then in milliseconds."),
  ]

  private static let checkMembers: [ShapeMember] = [
    ShapeMember("that", .any, required: true, "a value"),
    ShapeMember("is", .pattern, required: true, "a pattern for the value"),
    ShapeMember("because", .text, "the message if it does not fit"),
    ShapeMember(
      "deviation", .text, "the stacks that behave otherwise; a value that does not fit then makes the case NON-STRICT"),
  ]

  // MARK: Flow

  private static let flow = [
    Verb(
      .repeat,
      .object([
        ShapeMember("times", Vocabulary.count, required: true, "the number of repetitions"),
        ShapeMember("as", .text, "a counter variable that starts at 0"),
        ShapeMember(
          "until",
          .object([
            ShapeMember("that", .any, required: true, "a value"),
            ShapeMember("is", .pattern, required: true, "the pattern that ends the repetition"),
            ShapeMember("because", .text, "the message if the condition is never met"),
          ]), "a condition that ends the repetition early; checked after each repetition"),
        ShapeMember("within", .duration, "the time limit for `until`; exceeding it is a failure"),
        ShapeMember("every", .duration, "the time between repetitions"),
        ShapeMember("steps", .steps, required: true, "the steps to repeat"),
      ]), "Repeats steps."),
    Verb(
      .each,
      .object([
        ShapeMember("in", .any, required: true, "a list"), ShapeMember("as", .text, required: true, "the variable"),
        ShapeMember("steps", .steps, required: true, "the steps for each element"),
      ]), "Runs steps for each element of a list."),
    Verb(
      .if,
      .object([
        ShapeMember("that", .any, required: true, "a value"),
        ShapeMember("is", .pattern, "a pattern for the value; default: true"),
        ShapeMember("then", .steps, "the steps if it fits"),
        ShapeMember("else", .steps, "the steps if it does not fit"),
      ]), "Runs one of two lists of steps."),
    Verb(.together, .list(.steps), "Runs several lists of steps at the same time."),
    Verb(.wait, .duration, "Waits for a time."),
    Verb(
      .try,
      .object([
        ShapeMember("steps", .steps, required: true, "the steps to try"),
        ShapeMember("save", .text, "a variable for the failure; empty without a failure"),
        ShapeMember(
          "always", .steps,
          "steps that run afterwards, also after a failure; without `save`, that failure then fails the case"),
      ]), "Runs steps that may fail, and continues."),
    Verb(
      .do,
      .either([
        .text,
        .object([
          ShapeMember("routine", .text, required: true, "one of the suite's `routines`"),
          ShapeMember("with", .map(.any), "variables that it uses"),
        ]),
      ]), "Runs one of the suite's routines."),
    Verb(
      .finally, .steps,
      "Runs these steps at the end of the case, however it ends, for example to undo the action of a hook."),
  ]

  // MARK: The world

  package static let hookNames = HookName.allCases.map(\.rawValue)

  private static let world = [
    Verb(
      .hook,
      .object([
        ShapeMember("name", .word(hookNames), required: true, "the hook"),
        ShapeMember("of", .any, "a characteristic, service or accessory from `find`"),
        ShapeMember("value", .any, "for `set`, `obstruct`, `jam`, `battery`, `radio`"),
        ShapeMember("kind", .word(["single", "double", "long"]), "for `press`"),
        ShapeMember("save", .text, "a variable for its answer"),
        ShapeMember(
          "refused", .text,
          "a variable for the reason if the hook is refused, else empty; without this variable, a refusal makes the case an ERROR"
        ),
        ShapeMember("optional", .bool, "whether the case continues if the hook does not exist"),
      ]),
      "Requests an action on the device, or an observation. `identified` answers `aids`, the accessories that have identified themselves since the last request, and optionally `seconds`, the duration of the last one."
    ),
    Verb(
      .reachable, .either([.bool, .object([within])]),
      "Waits until the accessory accepts connections again, and uses its new port and name if they have changed."),
    Verb(.alive, .bool, "Fails unless the accessory answers on a new connection."),
    Verb(
      .mdns,
      .object([
        ShapeMember(
          "query", .list(.text),
          "the questions, as `TYPE NAME`: `PTR _hap._tcp.local`; `${instance}` is the accessory's name"),
        ShapeMember("unicast", .bool, "asks for a unicast answer (QU)"),
        ShapeMember("known", .bool, "sends the known PTR record with the query"),
        ShapeMember(
          "listen", .word(["announcement", "goodbye", "txt", "answer"]),
          "waits for a packet of this kind about the accessory"),
        ShapeMember(
          "where", .map(.pattern),
          "patterns for the packet or the accessory: `sf`, `c#`… of its TXT record, `cache-flush`, `ttl`, `unicast`, `pointer`, `port`, `name`"
        ),
        ShapeMember("absent", .bool, "fails if such a packet arrives"),
        ShapeMember(
          "since", .text, "the mark from which packets count, or `run` for the start of the run; default: now"),
        ShapeMember("resolve", .bool, "looks the accessory up again by its name"),
        ShapeMember(
          "follow", .bool,
          "looks the accessory up by its device ID, whatever its name, and uses that name and port afterwards"
        ),
        ShapeMember("browse", .bool, "looks for all accessories"),
        ShapeMember("claim", .text, "announces this instance name as the tester's own; `release` ends it"),
        ShapeMember("release", .bool, "withdraws all claimed names"),
        within,
        ShapeMember(
          "save", .map(.text), "variables with paths: `txt.sf`, `time`, `name`, `port`, `addresses`, `raw`, `count`"),
      ]), "Sends and receives multicast DNS with separate sockets."),
    Verb(.txt, .map(.pattern), "Judges the keys of the TXT record; in paths, `txt` holds the record as an object."),
    Verb(.claims, .bool, "Checks the claims against the accessory."),
  ]
}
