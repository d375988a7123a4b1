/// What steps can say of messages.
extension Vocabulary {
  static let messages = [
    Verb(.send, .object(sendMembers), "Sends one message, right or wrong."),
    Verb(
      .expect, .either([.text, .object(expectMembers)]),
      "Waits for the next answer and judges it. Text is the name of one of the suite's expectations. Events that come before are kept for `event`."
    ),
    Verb(
      .event,
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
      .events,
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
      .silence,
      .object([
        connection,
        ShapeMember("for", .duration, required: true, "how long nothing may come"),
        ShapeMember("of", .word(["events", "everything"]), "what may not come; `events` without it"),
        ShapeMember("id", .either([.text, .list(.text)]), "events of these characteristics alone"),
        ShapeMember("deviation", .text, "who does otherwise: then what comes isn't wrong, only not strict"),
      ]),
      "Fails when something comes."),
    Verb(.forget, .either([.text, .object([connection])]), "Throws away the events that came so far."),
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
      "of Pair Verify's M3: a procedure whose keys are signed instead of this one's; `swapped`: this one's, in the wrong order; `own`: this one's, as without it"
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
    ShapeMember(
      "size", .integer(1...1_000_000), "adds a header field, so that head and body have this number of bytes"),
    ShapeMember("batch", .list(.map(.any)), "further messages that go in the same segment"),
    ShapeMember(
      "ahead", .bool,
      "of a request in a `batch` behind M3 of Pair Verify: sealed with the session's keys, although M4 has not come"),
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
}
