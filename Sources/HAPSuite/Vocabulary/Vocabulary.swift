/// All that steps can say.
package enum Vocabulary {
  /// In the order of the documentation.
  package static let verbs: [Verb] = connections + messages + procedures + values + flow + world

  package static func verb(_ name: String) -> Verb? { byName[name] }

  private static let byName = Dictionary(uniqueKeysWithValues: verbs.map { ($0.name, $0) })

  static let count: Shape = .integer(0...1_000_000)
  static let connection = ShapeMember("on", .text, "the connection's name; `main` without it")
  static let within = ShapeMember("within", .duration, "how long to wait; 10s without it")

  // MARK: Connections

  private static let connections = [
    Verb(
      "connect",
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
      "close",
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
      "secure",
      .object([
        connection, procedure,
        ShapeMember(
          "with", .word(["transient", "verify"]), required: true,
          "the keys of a transient Pair Setup, or of a Pair Verify"),
      ]),
      "Seals all further bytes of a connection, both ways. A good `expect: { verify: M4 }` does it by itself."),
    Verb(
      "reading",
      .object([connection, ShapeMember("paused", .bool, required: true, "whether nothing more is read from it")]),
      "Stops reading a connection, so that what comes piles up at the accessory, or goes on."),
    Verb(
      "settle", .either([.bool, .text]),
      "Waits until the accessory has noticed the end of all connections that the case closed."),
  ]

  static let procedure = ShapeMember("procedure", .text, "the procedure's name; the connection's without it")

  // MARK: Messages

  private static let messages = [
    Verb("send", .object(sendMembers), "Sends one message, right or wrong."),
    Verb(
      "expect", .either([.text, .object(expectMembers)]),
      "Waits for the next answer and judges it. Text is the name of one of the suite's expectations. Events that come before are kept for `event`."
    ),
    Verb(
      "event",
      .object([
        connection, within,
        ShapeMember(
          "entries", .list(.map(.pattern)),
          "patterns of entries (`id` or `aid` and `iid`, `value`); the event has one for each"),
        ShapeMember("only", .bool, "whether it may hold no other entries"),
        ShapeMember("json", .pattern, "a pattern of the whole body"),
        ShapeMember("version", .pattern, "of the status line's first word"),
        ShapeMember("status", .pattern, "of the status"),
        ShapeMember("type", .pattern, "of the content type"),
        ShapeMember("chunked", .bool, "whether it comes in chunks"),
        ShapeMember("any", .list(.object(eventAlternative)), "several ways to be right, the first that fits counts"),
        ShapeMember("save", .map(.text), "variables, by paths such as `json.characteristics[0].value` or `time`"),
        ShapeMember(
          "keep", .bool, "whether it stays for the next `event`, too: one message may tell of several things"),
      ]),
      "Waits for an event that fits, passing over others, and takes it away."),
    Verb(
      "events",
      .object([
        connection, within,
        ShapeMember("id", .either([.text, .list(.text)]), "entries of these characteristics alone"),
        ShapeMember(
          "least", count, "waits until so many entries came, or `within` is over (5s without it); 0 without it"),
        ShapeMember("for", .duration, "how long it goes on listening then; not at all without it"),
        ShapeMember(
          "save", .map(.text), required: true,
          "variables, by paths: `values` and `entries` in the order in which they came, `events` (each with `version`, `status`, `type`, `chunked`, `at` and its `json`), `count` (of events)"
        ),
      ]),
      "Takes all events that come, to be judged by `check`. It fails for none of them."),
    Verb(
      "silence",
      .object([
        connection,
        ShapeMember("for", .duration, required: true, "how long nothing may come"),
        ShapeMember("of", .word(["events", "everything"]), "what may not come; `events` without it"),
        ShapeMember("id", .either([.text, .list(.text)]), "events of these characteristics alone"),
        ShapeMember("deviation", .text, "who does otherwise: then what comes isn't wrong, only not strict"),
      ]),
      "Fails when something comes."),
    Verb("forget", .either([.text, .object([connection])]), "Throws away the events that came so far."),
  ]

  private static let eventAlternative: [ShapeMember] = [
    ShapeMember("entries", .list(.map(.pattern)), "as above"), ShapeMember("json", .pattern, "as above"),
    ShapeMember("version", .pattern, "as above"), ShapeMember("status", .pattern, "as above"),
    ShapeMember("type", .pattern, "as above"), ShapeMember("chunked", .bool, "as above"),
    ShapeMember("deviation", .text, "who does this"),
  ]

  static let sendMembers: [ShapeMember] = [
    connection,
    ShapeMember("method", .text, "the HTTP method; else GET, POST for `tlv`, PUT for `json`"),
    ShapeMember("path", .text, "the target, with its query"),
    ShapeMember("json", .any, "a body of JSON, as it is written here"),
    ShapeMember("tlv", .items, "a body of TLV8 items"),
    ShapeMember("body", .bytes, "a body of any bytes"),
    ShapeMember("type", .text, "Content-Type; `none` leaves it out"),
    ShapeMember("length", .text, "Content-Length in place of the right one; `none` leaves it out"),
    ShapeMember("host", .text, "Host; `none` leaves it out"),
    ShapeMember("headers", .list(.text), "further header lines"),
    ShapeMember(
      "header-form", .word(["lower", "upper", "tight"]),
      "how Host, Content-Type and Content-Length are written: in lower or upper case, or without a space behind the colon"
    ),
    ShapeMember("version", .text, "in place of HTTP/1.1"),
    ShapeMember("text", .text, "a whole message as text, with \\r\\n written out"),
    ShapeMember("bytes", .bytes, "a whole message of any bytes"),
    ShapeMember("raw", .bytes, "bytes that go around a session as they are"),
    // HAP's own requests
    ShapeMember("read", .either([.text, .list(.text)]), "GET /characteristics of these ids, or of what was found"),
    ShapeMember("flags", .list(.text), "of a `read`: `meta=1`, `ev=1`…"),
    ShapeMember(
      "write", .list(.map(.any)),
      "PUT /characteristics with these entries: `id` (or `aid`, `iid`), `value`, `ev`, `r`, `authData`, `remote`, and any others"
    ),
    ShapeMember("pid", .any, "of a `write`: of the `prepare` before it"),
    ShapeMember("prepare", .map(.any), "PUT /prepare: `ttl`, `pid`"),
    ShapeMember("subscribe", .either([.text, .list(.text)]), "PUT `ev: true` for these ids, or for what was found"),
    ShapeMember("unsubscribe", .either([.text, .list(.text)]), "PUT `ev: false` for these ids, or for what was found"),
    ShapeMember("pairings", .word(["list", "add", "remove"]), "POST /pairings"),
    ShapeMember("controller", .text, "of `pairings`: who is added or removed"),
    ShapeMember("permissions", .any, "of `pairings: add`: `user`, `admin` or a number"),
    // procedures
    ShapeMember(
      "setup", .word(["M1", "M3", "M5"]), "the right message of Pair Setup, in answer to what was expected last"),
    ShapeMember("verify", .word(["M1", "M3"]), "the right message of Pair Verify"),
    procedure,
    ShapeMember("as", .text, "of a procedure: the controller; `admin` without it"),
    ShapeMember("code", .text, "of M3 of Pair Setup: the setup code; `wrong` is a wrong one"),
    ShapeMember("method-item", .integer(0...255), "of M1: the method"),
    ShapeMember("flags-item", .bytes, "of M1: Flags"),
    ShapeMember(
      "public-key", .either([.word(["zero", "n", "2n", "short"]), .bytes]),
      "of M3 of Pair Setup: A (zero, N, 2·N, one that begins with zeros), or any bytes; of M1 of Pair Verify: the controller's key"
    ),
    ShapeMember("secret", .bytes, "of M3 of Pair Setup: S as it would be forged, in place of the right one"),
    ShapeMember("secret-form", .word(["stripped", "padded"]), "of M3: how S goes into K"),
    ShapeMember("zero-secret", .bool, "of M3: whether S shall begin with a zero byte"),
    ShapeMember("zero-key", .bool, "of M3: whether K shall begin with a zero byte"),
    ShapeMember(
      "server-key-form", .word(["received", "stripped"]), "of M3: how B goes into the proof; `received` without it"),
    ShapeMember("inner", .alterations, "of M5 and Pair Verify's M3: alterations of what is sealed"),
    ShapeMember("signed-by", .text, "of M5 and Pair Verify's M3: another controller, whose key signs"),
    ShapeMember(
      "identifier", .bytes, "of M5 and Pair Verify's M3: the controller's identifier in place of the right one"),
    ShapeMember("nonce", .text, "of M5 and Pair Verify's M3: the nonce, 8 characters"),
    ShapeMember("seal-key", .word(["wrong"]), "of M5 and Pair Verify's M3: another key seals"),
    ShapeMember(
      "ephemeral", .text,
      "of Pair Verify's M3: a procedure whose keys are signed in place of this one's; `swapped`: this one's, in the wrong order"
    ),
    // delivery
    ShapeMember("alter", .alterations, "alterations of the TLV8 message"),
    ShapeMember(
      "corrupt", .list(.map(.any)), "alterations of the body's bytes: `flip`, `truncate`, `append`, `prepend`"),
    ShapeMember(
      "pieces", .either([.integer(1...65_536), .list(.integer(0...1_000_000))]),
      "sends in so many bytes at a time, or in pieces of these sizes and the rest"),
    ShapeMember("pause", .duration, "between pieces"),
    ShapeMember(
      "until", .integer(-1_000_000...1_000_000),
      "sends so many bytes alone; negative: all but so many. The rest goes with `rest`"),
    ShapeMember("rest", .bool, "sends what `until` kept back"),
    ShapeMember(
      "split", .either([.integer(1...65_535), .list(.integer(0...65_535))]),
      "frames of so many bytes, or of these sizes and the rest"),
    ShapeMember(
      "frame",
      .object([
        ShapeMember("flip", .word(["ciphertext", "tag", "length"]), "one bit of each frame"),
        ShapeMember("counter", .integer(-1000...1000), "added to the frame's counter; the session's own doesn't move"),
        ShapeMember("length", .integer(0...65_535), "announced in place of the right one"),
        ShapeMember("keys-of", .text, "the connection whose keys seal"),
        ShapeMember("fill", .bool, "adds bytes until an enlarged length is reached"),
      ]), "how the frames are wrong"),
    ShapeMember("plain", .bool, "around the session, unsealed"),
    ShapeMember("batch", .list(.map(.any)), "further messages that go in the same segment"),
    ShapeMember("repeat", Vocabulary.count, "sends it so many times"),
    ShapeMember("save-sent", .text, "a variable for the bytes as they went out"),
    ShapeMember("finish", .bool, "ends sending behind it"),
  ]

  static let answerMembers: [ShapeMember] = [
    ShapeMember("status", .pattern, "of the HTTP status"),
    ShapeMember("version", .pattern, "of the status line's first word"),
    ShapeMember("type", .pattern, "of the content type, without parameters"),
    ShapeMember("headers", .map(.pattern), "of header fields, by their names in lower case"),
    ShapeMember("chunked", .bool, "whether it comes in chunks"),
    ShapeMember("body", .either([.word(["empty"]), .pattern]), "of the body as hexadecimal text; `empty`"),
    ShapeMember("text", .pattern, "of the body as text"),
    ShapeMember("tlv", .itemPatterns, "of the items of a TLV8 body; its adjacent fragments must be right"),
    ShapeMember("json", .pattern, "of a JSON body; `$absent`: the body is no JSON"),
    ShapeMember(
      "entries", .list(.map(.pattern)),
      "of the entries of `characteristics`, in any order, all of them; an `id` that is a list stands for an entry for each"
    ),
    ShapeMember("database", .bool, "a body that is a database"),
    ShapeMember("frames", .pattern, "of the list of the frames' lengths"),
    ShapeMember("setup", .word(["M2", "M4", "M6"]), "the right message of Pair Setup, wholly checked"),
    ShapeMember("verify", .word(["M2", "M4"]), "the right message of Pair Verify; a good M4 secures the connection"),
    ShapeMember("sealed", .bool, "whether it came in frames"),
    ShapeMember("closed", .either([.bool, .word(["reset", "fin"])]), "the connection ends, and nothing comes before"),
    ShapeMember(
      "garbage", .either([.bool, .pattern]),
      "bytes that make no message, or a pattern of them as text: an answer in plain inside a session is such"),
    ShapeMember("silent", .bool, "nothing comes within `within`"),
    ShapeMember("time", .pattern, "of the milliseconds that the answer took"),
    ShapeMember("deviation", .text, "who does this: accepted, but not strict"),
    ShapeMember("record", .text, "what this is worth saying"),
  ]

  static let expectMembers: [ShapeMember] =
    [
      connection, within, procedure,
      ShapeMember("as", .text, "of `setup: M6`: the controller that is paired now; `admin` without it"),
      ShapeMember("is", .text, "one of the suite's expectations; members here add to it"),
    ] + answerMembers + [
      ShapeMember(
        "any",
        .list(
          .either([.text, .object(answerMembers + [ShapeMember("is", .text, "one of the suite's expectations")])])),
        "several ways to be right, the first that fits counts; what stands beside `any` holds for all"),
      ShapeMember(
        "save", .map(.text),
        "variables, by paths: `status`, `json.accessories[0].aid`, `tlv.salt`, `headers.content-length`, `time`, `body`, `closed`"
      ),
      ShapeMember("secure", .bool, "whether a good M4 of Pair Verify secures the connection; true without it"),
    ]

  // MARK: Procedures

  private static let procedures = [
    Verb(
      "pair",
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
      "verify",
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
      "controller",
      .object([
        ShapeMember("name", .text, required: true, "by which steps call it"),
        ShapeMember("paired", .bool, "whether an admin adds it to the accessory; true without it"),
        ShapeMember("permissions", .word(["user", "admin"]), "`user` without it"),
        ShapeMember("id", .bytes, "its identifier; an upper-case UUID without it"),
        ShapeMember("key-of", .text, "another controller, whose key it has"),
      ]),
      "Makes a controller. What the case adds to the accessory is removed behind it."),
    Verb(
      "unpair", .either([.text, .bool]),
      "Removes a controller's pairing, as an admin; `true` all of them, so that the accessory is unpaired."),
  ]

  // MARK: Values

  private static let values = [
    Verb("let", .map(.any), "Gives variables values."),
    Verb("make", .map(.bytes), "Gives variables bytes, as hexadecimal text."),
    Verb(
      "collect", .map(.any),
      "Adds values to lists, which begin empty. Of numbers, `${list.median}` and `${list.p99}` can be told."),
    Verb(
      "check",
      .either([.object(checkMembers), .list(.object(checkMembers))]),
      "Judges values."),
    Verb(
      "find", .map(.subject),
      "Looks for characteristics, services or accessories in the database; without one the case is skipped."),
    Verb(
      "database",
      .either([
        .bool,
        .object([
          connection, ShapeMember("save", .text, "a variable for it"),
          ShapeMember("bytes", .text, "a variable for the body's bytes"),
        ]),
      ]),
      "Reads /accessories anew, on a session."),
    Verb(
      "lint",
      .object([
        ShapeMember("rules", .list(.text), required: true, "rules of `haptest lint`, by id or name"),
        ShapeMember("of", .any, "the database's bytes; those last read without it"),
        ShapeMember("again", .any, "the bytes of a second reading, for values that could not be read just then"),
      ]),
      "Holds the database against rules. In a case of level must, what only should be isn't wrong, but not strict."),
    Verb(
      "compare",
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
    Verb("record", .text, "Notes something for the reports."),
    Verb("deviation", .text, "Notes that it isn't strict, and who else does so."),
    Verb("fail", .text, "Fails."),
    Verb("skip", .text, "Ends the case as skipped."),
    Verb("mark", .text, "Notes the time; `${elapsed.NAME}` is in milliseconds since."),
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
      "repeat",
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
      "each",
      .object([
        ShapeMember("in", .any, required: true, "a list"), ShapeMember("as", .text, required: true, "the variable"),
        ShapeMember("steps", .steps, required: true, "what is done with each"),
      ]), "Goes through steps for every element of a list."),
    Verb(
      "if",
      .object([
        ShapeMember("that", .any, required: true, "a value"),
        ShapeMember("is", .pattern, "what it shall be; true without it"),
        ShapeMember("then", .steps, "when it is"), ShapeMember("else", .steps, "when it isn't"),
      ]), "Goes one way or the other."),
    Verb("together", .list(.steps), "Goes through several lists of steps at once."),
    Verb("wait", .duration, "Lets time pass."),
    Verb(
      "try",
      .object([
        ShapeMember("steps", .steps, required: true, "what is tried"),
        ShapeMember("save", .text, "a variable for what went wrong; empty when nothing did"),
        ShapeMember(
          "always", .steps, "what is done behind them, however they went; without `save` what went wrong counts then"),
      ]), "Goes through steps, and on where they fail."),
    Verb(
      "do",
      .either([
        .text,
        .object([
          ShapeMember("routine", .text, required: true, "which of the suite's `routines`"),
          ShapeMember("with", .map(.any), "variables that it uses"),
        ]),
      ]), "Goes through one of the suite's routines."),
    Verb(
      "finally", .steps,
      "Goes through these steps at the end of the case, however it ends: gives back what a hook took away."),
  ]

  // MARK: The world

  package static let hookNames = [
    "reboot", "power-cut", "factory-reset", "press", "trigger", "set", "obstruct", "jam", "offline", "online",
    "battery",
    "stop", "start", "add-accessory", "remove-accessory", "radio", "stall", "identified",
  ]

  private static let world = [
    Verb(
      "hook",
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
      "reachable", .either([.bool, .object([within])]),
      "Waits until the accessory takes connections again, and goes by its new port and name where it has others."),
    Verb("alive", .bool, "Fails unless the accessory answers on a new connection."),
    Verb(
      "mdns",
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
    Verb("txt", .map(.pattern), "Judges the TXT record as it was found, by keys; `txt` in paths has it as an object."),
    Verb("claims", .bool, "Holds the claims against what the accessory shows."),
  ]
}
