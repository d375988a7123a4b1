import HAPCapture
import HAPCommandLine
import HAPModel
import HAPProfile
import HAPWire

extension Command {
  private static let showFlag = Flag("show", "print every request, answer, event and Matter message, decrypted")

  /// `hapsim replay`
  package static let replay = Command(
    "replay", "replay a capture, and compare the sent bytes",
    operands: .some(label: "FILE", count: 1...1), options: [showFlag.definition, CommonOptions.json.definition],
    discussion: [
      "FILE was written by hapsim run --capture. Its inputs are replayed with its keys, randomness and clock, and every sent byte "
        + "is compared with the recorded one. The exit status is 1 if they differ, which shows that the implementation has changed.",
      "The writes and commands of Matter are executed again, and their results and the values that were read are compared.",
    ],
    examples: [("hapsim replay capture/20261121T063000-1234-1.hapcapture --show", "prints the decrypted messages")]
  ) { (arguments, console) throws(UsageError) in
    guard let path = arguments.operands.first else { throw UsageError("FILE is missing") }
    do {
      let replay = try CaptureReplay(try readFile(path, limit: 1 << 30))
      if arguments[CommonOptions.json] {
        console.print(replayJSON(replay, withMessages: arguments[showFlag]))
        return replay.difference == nil && replay.matterDifference == nil ? .well : .problem
      }
      if arguments[showFlag] { for message in replay.messages { console.print(message.shown) } }
      if let difference = replay.difference {
        console.complain(
          "\(path):\(difference.line): connection \(difference.connection) sends different bytes than recorded, from byte \(difference.offset) of "
            + "\(difference.then.count) (now \(difference.now.count))")
        return .problem
      }
      if let difference = replay.matterDifference {
        console.complain(
          "\(path):\(difference.line): Matter: \(difference.what) differs: recorded \(difference.then), now \(difference.now)"
        )
        return .problem
      }
      let matter =
        replay.matterMessages > 0
        ? "; \(replay.matterMessages) Matter messages, \(replay.matterComparisons) values and results as recorded" : ""
      console.print("\(replay.name): \(replay.inputs) inputs, \(replay.sentBytes) bytes sent, all as recorded\(matter)")
      if let end = replay.matterEnd {
        console.print("Matter is not compared from line \(end) on: the request there suppresses its answer")
      }
      return .well
    } catch let error as CaptureReplay.Mistake {
      console.complain("\(path):\(error)")
      return .problem
    } catch {
      console.complain("hapsim replay: \(error)")
      return error is FileError ? .cannotRun : .problem
    }
  }
}

/// Returns the result as an object on one line; `difference` is null if all bytes are equal.
private func replayJSON(_ replay: CaptureReplay, withMessages: Bool) -> String {
  JSONWriter.text { json in
    json.object { json in
      json.key("name")
      json.string(replay.name)
      json.key("inputs")
      json.integer(replay.inputs)
      json.key("sentBytes")
      json.integer(replay.sentBytes)
      json.key("matterMessages")
      json.integer(replay.matterMessages)
      json.key("matterComparisons")
      json.integer(replay.matterComparisons)
      json.key("matterEnd")
      if let end = replay.matterEnd { json.integer(end) } else { json.null() }
      json.key("matterDifference")
      if let difference = replay.matterDifference {
        json.object { json in
          json.key("line")
          json.integer(difference.line)
          for (name, text) in [
            ("what", difference.what), ("captured", difference.then), ("replayed", difference.now),
          ] {
            json.key(name)
            json.string(text)
          }
        }
      } else {
        json.null()
      }
      json.key("difference")
      if let difference = replay.difference {
        json.object { json in
          json.key("line")
          json.integer(difference.line)
          json.key("connection")
          json.integer(difference.connection)
          json.key("offset")
          json.integer(difference.offset)
          json.key("captured")
          json.string(Hexadecimal.text(difference.then))
          json.key("replayed")
          json.string(Hexadecimal.text(difference.now))
        }
      } else {
        json.null()
      }
      guard withMessages else { return }
      json.key("messages")
      json.array { json in for message in replay.messages { message.write(to: &json) } }
    }
  }
}

extension CaptureReplay.Message {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("milliseconds")
      json.integer(Int64(time / .milliseconds(1)))
      switch content {
      case .http(let connection, let isFromController, let bytes):
        json.key("connection")
        json.integer(connection)
        json.key("from")
        json.string(isFromController ? "controller" : "accessory")
        json.key("bytes")
        json.string(Hexadecimal.text(bytes))
      case .matter(let traffic):
        traffic.forEachMember { name, value in
          json.key(name)
          json.value(value)
        }
        json.key("content")
        json.array { json in for part in traffic.parts { json.string(part) } }
        json.key("bytes")
        json.string(Hexadecimal.text(traffic.bytes))
      }
    }
  }

  /// The time and the connection or the peer on one line, then the message.
  fileprivate var shown: String {
    let (seconds, attoseconds) = time.components
    let milliseconds = String(attoseconds / 1_000_000_000_000_000)
    let moment = "\(seconds).\(String(repeating: "0", count: 3 - milliseconds.count))\(milliseconds) s"
    let lines: [String]
    switch content {
    case .http(let connection, let isFromController, let bytes):
      lines = ["\(isFromController ? ">" : "<") connection \(connection), \(moment)"] + Self.lines(ofHTTP: bytes)
    case .matter(let traffic):
      lines =
        ["\(traffic.isReceived ? ">" : "<") Matter \(traffic.peer), \(moment)", traffic.headerText]
        + traffic.contentLines
    }
    return lines.joined(separator: "\n  ") + "\n"
  }

  /// The lines of a message of HAP. A body that is not text is hexadecimal digits.
  private static func lines(ofHTTP bytes: [UInt8]) -> [String] {
    let end =
      bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == [13, 10, 13, 10] }.map { $0 + 4 } ?? bytes.count
    var lines = String(decoding: bytes[..<end], as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0) }
    let body = bytes[end...]
    guard !body.isEmpty else { return lines }
    let isText = body.allSatisfy { (32..<127).contains($0) || $0 >= 128 || $0 == 10 || $0 == 13 || $0 == 9 }
    lines.append(isText ? String(decoding: body, as: UTF8.self) : Hexadecimal.text(body))
    return lines
  }
}
