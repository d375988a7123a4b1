// Members of the steps that send and receive messages.
extension Vocabulary {
  static let messages = [
    Verb(.send, .object(sendMembers), "Sends one message, correct or faulty."),
    Verb(
      .expect, .either([.text, .object(expectMembers)]),
      "Waits for the next answer and judges it. A text is the name of one of the suite's expectations. Events before the answer are kept for `event`."
    ),
    Verb(
      .event,
      .object([
        connection, within,
        ShapeMember(
          "entries", .list(.map(.pattern)),
          "patterns for entries (`id` or `aid` and `iid`, `value`); the event must have an entry for each"),
        ShapeMember("only", .bool, "whether other entries are refused"),
        ShapeMember("json", .pattern, "a pattern for the whole body"),
        ShapeMember("version", .pattern, "a pattern for the first word of the status line"),
        ShapeMember("status", .pattern, "a pattern for the status"),
        ShapeMember("type", .pattern, "a pattern for the content type"),
        ShapeMember("chunked", .bool, "whether the message is chunked"),
        ShapeMember("any", .list(.object(eventAlternative)), "alternatives; the first that fits counts"),
        ShapeMember("save", .map(.text), "variables with paths such as `json.characteristics[0].value` or `time`"),
        ShapeMember(
          "keep", .bool,
          "whether the message also remains for the next `event`, because one message can report several changes"),
      ]),
      "Waits for an event that fits, and removes it from the queue. Other events are skipped."),
    Verb(
      .events,
      .object([
        connection,
        ShapeMember("within", .duration, "the time to wait for `least` entries; default: 5s"),
        ShapeMember("id", .either([.text, .list(.text)]), "only entries of these characteristics"),
        ShapeMember(
          "least", count, "the number of entries to wait for, at most for `within`; default: 0"),
        ShapeMember("for", .duration, "the time to collect further events afterwards; default: none"),
        ShapeMember(
          "save", .map(.text), required: true,
          "variables with paths: `values` and `entries` in the order of arrival, `events` (each with `version`, `status`, `type`, `chunked`, `at` and its `json`), `count` (of events)"
        ),
      ]),
      "Collects all events, for later checks with `check`. It never fails."),
    Verb(
      .silence,
      .object([
        connection,
        ShapeMember("for", .duration, required: true, "the time in which nothing may arrive"),
        ShapeMember("of", .word(["events", "everything"]), "what must not arrive; default: `events`"),
        ShapeMember("id", .either([.text, .list(.text)]), "only events of these characteristics"),
        ShapeMember(
          "deviation", .text,
          "the stacks that behave otherwise; a message that arrives then makes the case NON-STRICT"),
      ]),
      "Fails if a message arrives."),
    Verb(.forget, .either([.text, .object([connection])]), "Discards the events received so far."),
  ]

  private static let eventAlternative: [ShapeMember] = [
    ShapeMember("entries", .list(.map(.pattern)), "as in `event`"), ShapeMember("json", .pattern, "as in `event`"),
    ShapeMember("version", .pattern, "as in `event`"), ShapeMember("status", .pattern, "as in `event`"),
    ShapeMember("type", .pattern, "as in `event`"), ShapeMember("chunked", .bool, "as in `event`"),
    ShapeMember("deviation", .text, "the stacks that behave like this; the case is then NON-STRICT"),
  ]

  static let sendMembers: [ShapeMember] = [
    connection,
    ShapeMember("method", .text, "the HTTP method; default: GET, POST for `tlv`, PUT for `json`"),
    ShapeMember("path", .text, "the target with its query"),
    ShapeMember("json", .any, "a JSON body, as written here"),
    ShapeMember("tlv", .items, "a TLV8 body"),
    ShapeMember("body", .bytes, "a body of any bytes"),
    ShapeMember("type", .text, "Content-Type; `none` omits it"),
    ShapeMember("length", .text, "Content-Length instead of the correct one; `none` omits it"),
    ShapeMember("host", .text, "Host; `none` omits it"),
    ShapeMember("headers", .list(.text), "further header lines"),
    ShapeMember(
      "header-form", .word(["lower", "upper", "tight"]),
      "the form of Host, Content-Type and Content-Length: in lower or upper case, or without a space after the colon"
    ),
    ShapeMember("version", .text, "the version instead of HTTP/1.1"),
    ShapeMember("text", .text, "a whole message as text, with \\r\\n as characters"),
    ShapeMember("bytes", .bytes, "a whole message of any bytes"),
    ShapeMember("raw", .bytes, "bytes that bypass the session unchanged"),
    // HAP's own requests
    ShapeMember(
      "read", .either([.text, .list(.text)]), "GET /characteristics of these ids, or of subjects from `find`"),
    ShapeMember("flags", .list(.text), "for `read`: query parameters such as `meta=1` and `ev=1`"),
    ShapeMember(
      "write", .list(.map(.any)),
      "PUT /characteristics with these entries: `id` (or `aid`, `iid`), `value`, `ev`, `r`, `authData`, `remote`, and any others"
    ),
    ShapeMember("pid", .any, "for `write`: the `pid` of the `prepare` before it"),
    ShapeMember("prepare", .map(.any), "PUT /prepare: `ttl`, `pid`"),
    ShapeMember(
      "subscribe", .either([.text, .list(.text)]), "PUT `ev: true` for these ids, or for subjects from `find`"),
    ShapeMember(
      "unsubscribe", .either([.text, .list(.text)]), "PUT `ev: false` for these ids, or for subjects from `find`"),
    ShapeMember("pairings", .word(["list", "add", "remove"]), "POST /pairings"),
    ShapeMember("controller", .text, "for `pairings`: the controller to add or remove"),
    ShapeMember("permissions", .any, "for `pairings: add`: `user`, `admin` or a number"),
    // procedures
    ShapeMember(
      "setup", .word(["M1", "M3", "M5"]), "the correct message of Pair Setup, in answer to the last expected message"),
    ShapeMember("verify", .word(["M1", "M3"]), "the correct message of Pair Verify"),
    procedure,
    ShapeMember("as", .text, "for a procedure: the controller; default: `admin`"),
    ShapeMember("code", .text, "for M3 of Pair Setup: the setup code; `wrong` means any wrong code"),
    ShapeMember("method-item", .integer(0...255), "for M1: the method"),
    ShapeMember("flags-item", .bytes, "for M1: the flags"),
    ShapeMember(
      "public-key", .either([.word(["zero", "n", "2n", "short"]), .bytes]),
      "for M3 of Pair Setup: A (zero, N, 2·N, a key that begins with zeros), or any bytes; for M1 of Pair Verify: the controller's key"
    ),
    ShapeMember("secret", .bytes, "for M3 of Pair Setup: a forged S instead of the correct one"),
    ShapeMember("secret-form", .word(["stripped", "padded"]), "for M3: the form of S in the computation of K"),
    ShapeMember("zero-secret", .bool, "for M3: whether S must begin with a zero byte"),
    ShapeMember("zero-key", .bool, "for M3: whether K must begin with a zero byte"),
    ShapeMember(
      "server-key-form", .word(["received", "stripped"]), "for M3: the form of B in the proof; default: `received`"),
    ShapeMember("inner", .alterations, "for M5 of Pair Setup and M3 of Pair Verify: alterations of the sealed message"),
    ShapeMember("signed-by", .text, "for M5 of Pair Setup and M3 of Pair Verify: another controller whose key signs"),
    ShapeMember(
      "identifier", .bytes, "for M5 of Pair Setup and M3 of Pair Verify: an identifier instead of the controller's own"),
    ShapeMember("nonce", .text, "for M5 of Pair Setup and M3 of Pair Verify: the nonce, 8 characters"),
    ShapeMember("seal-key", .word(["wrong"]), "for M5 of Pair Setup and M3 of Pair Verify: seals with a wrong key"),
    ShapeMember(
      "ephemeral", .text,
      "for M3 of Pair Verify: another procedure whose keys are signed; `swapped`: the keys of this procedure in the wrong order; `own` (default): the keys of this procedure"
    ),
    // delivery
    ShapeMember("alter", .alterations, "alterations of the TLV8 message"),
    ShapeMember(
      "corrupt", .list(.map(.any)), "alterations of the body's bytes: `flip`, `truncate`, `append`, `prepend`"),
    ShapeMember(
      "pieces", .either([.integer(1...65_536), .list(.integer(0...1_000_000))]),
      "sends in pieces of this many bytes, or in pieces of these sizes and the rest"),
    ShapeMember("pause", .duration, "the time between pieces"),
    ShapeMember(
      "until", .integer(-1_000_000...1_000_000),
      "sends only the first N bytes; negative: all but the last N. `rest` sends the remaining bytes"),
    ShapeMember("rest", .bool, "sends the bytes that `until` held back"),
    ShapeMember(
      "split", .either([.integer(1...65_535), .list(.integer(0...65_535))]),
      "splits into frames of this many bytes, or of these sizes and the rest"),
    ShapeMember(
      "frame",
      .object([
        ShapeMember(
          "flip", .word(["ciphertext", "tag", "length"]), "the part of each frame in which one bit is inverted"),
        ShapeMember(
          "counter", .integer(-1000...1000),
          "a number added to the counter of the frame; the counter of the session does not change"),
        ShapeMember("length", .integer(0...65_535), "the announced length instead of the correct one"),
        ShapeMember("keys-of", .text, "the connection whose keys seal the frame"),
        ShapeMember("fill", .bool, "adds bytes to match an enlarged length"),
      ]), "faults of the frames"),
    ShapeMember("plain", .bool, "sends in plain text, bypassing the session"),
    ShapeMember(
      "size", .integer(1...1_000_000), "pads head and body to this number of bytes with a header field"),
    ShapeMember("batch", .list(.map(.any)), "further messages in the same segment"),
    ShapeMember(
      "ahead", .bool,
      "for a request in a `batch` after M3 of Pair Verify: seals with the session's keys, although M4 has not arrived"),
    ShapeMember("repeat", Vocabulary.count, "the number of times to send it"),
    ShapeMember("save-sent", .text, "a variable for the bytes as sent"),
    ShapeMember("finish", .bool, "closes the sending side afterwards"),
  ]

  static let answerMembers: [ShapeMember] = [
    ShapeMember("status", .pattern, "a pattern for the HTTP status"),
    ShapeMember("version", .pattern, "a pattern for the first word of the status line"),
    ShapeMember("type", .pattern, "a pattern for the content type, without parameters"),
    ShapeMember("headers", .map(.pattern), "patterns for header fields, by their names in lower case"),
    ShapeMember("chunked", .bool, "whether the message is chunked"),
    ShapeMember(
      "body", .either([.word(["empty"]), .pattern]), "a pattern for the body as hexadecimal text; `empty`: no body"),
    ShapeMember("text", .pattern, "a pattern for the body as text"),
    ShapeMember("tlv", .itemPatterns, "patterns for the items of a TLV8 body; adjacent fragments must be correct"),
    ShapeMember("json", .pattern, "a pattern for a JSON body; `$absent`: the body is not JSON"),
    ShapeMember(
      "entries", .list(.map(.pattern)),
      "patterns for all entries of `characteristics`, in any order; an `id` with a list means one entry for each id"
    ),
    ShapeMember("database", .bool, "whether the body is a database"),
    ShapeMember("frames", .pattern, "a pattern for the list of frame lengths"),
    ShapeMember("setup", .word(["M2", "M4", "M6"]), "the correct message of Pair Setup, with all checks"),
    ShapeMember(
      "verify", .word(["M2", "M4"]), "the correct message of Pair Verify; a correct M4 secures the connection"),
    ShapeMember("sealed", .bool, "whether the message came in frames"),
    ShapeMember(
      "closed", .either([.bool, .word(["reset", "fin"])]), "whether the connection ends without a message before it"),
    ShapeMember(
      "garbage", .either([.bool, .pattern]),
      "bytes that are not a message, or a pattern for them as text; for example an answer in plain text inside a session"
    ),
    ShapeMember("silent", .bool, "whether nothing arrives within `within`"),
    ShapeMember("time", .pattern, "a pattern for the duration of the answer in milliseconds"),
    ShapeMember("deviation", .text, "the stacks that behave like this; the case is then NON-STRICT"),
    ShapeMember("record", .text, "a note for the report"),
  ]

  static let expectMembers: [ShapeMember] =
    [
      connection, within, procedure,
      ShapeMember("as", .text, "for `setup: M6`: the controller that is now paired; default: `admin`"),
      ShapeMember("is", .text, "one of the suite's expectations; the members here are added to it"),
    ] + answerMembers + [
      ShapeMember(
        "any",
        .list(
          .either([.text, .object(answerMembers + [ShapeMember("is", .text, "one of the suite's expectations")])])),
        "alternatives; the first that fits counts; members next to `any` apply to all"),
      ShapeMember(
        "save", .map(.text),
        "variables with paths: `status`, `json.accessories[0].aid`, `tlv.salt`, `headers.content-length`, `time`, `body`, `closed`"
      ),
      ShapeMember("secure", .bool, "whether a correct M4 of Pair Verify secures the connection; default: true"),
    ]
}
