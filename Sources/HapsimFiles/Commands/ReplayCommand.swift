import HAPCapture
import HAPCommandLine
import HAPWire

extension Command {
  private static let showFlag = Flag("show", "print every request, answer and event, decrypted")

  /// `hapsim replay`
  package static let replay = Command(
    "replay", "replay a capture, and compare the sent bytes",
    operands: .some(label: "FILE", count: 1...1), options: [showFlag.definition, CommonOptions.json.definition],
    discussion: [
      "FILE was written by hapsim run --capture. Its inputs are replayed with its keys, randomness and clock, and every sent byte "
        + "is compared with the recorded one. The exit status is 1 if they differ, which shows that the implementation has changed."
    ],
    examples: [("hapsim replay capture/20261121T063000-1234-1.hapcapture --show", "prints the decrypted messages")]
  ) { (arguments, console) throws(UsageError) in
    guard let path = arguments.operands.first else { throw UsageError("FILE is missing") }
    do {
      let replay = try CaptureReplay(try readFile(path, limit: 1 << 30))
      if arguments[CommonOptions.json] {
        console.print(replayJSON(replay, withMessages: arguments[showFlag]))
        return replay.difference == nil ? .well : .problem
      }
      if arguments[showFlag] { for message in replay.messages { console.print(message.shown) } }
      if let difference = replay.difference {
        console.complain(
          "\(path):\(difference.line): connection \(difference.connection) sends different bytes than recorded, from byte \(difference.offset) of "
            + "\(difference.then.count) (now \(difference.now.count))")
        return .problem
      }
      console.print("\(replay.name): \(replay.inputs) inputs, \(replay.sentBytes) bytes sent, all as recorded")
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
      json.key("connection")
      json.integer(connection)
      json.key("from")
      json.string(isFromController ? "controller" : "accessory")
      json.key("bytes")
      json.string(Hexadecimal.text(bytes))
    }
  }

  /// The time and connection on one line, then the message; bytes that are not text are hexadecimal digits.
  fileprivate var shown: String {
    let (seconds, attoseconds) = time.components
    let milliseconds = String(attoseconds / 1_000_000_000_000_000)
    let moment = "\(seconds).\(String(repeating: "0", count: 3 - milliseconds.count))\(milliseconds)"
    let head = "\(isFromController ? ">" : "<") connection \(connection), \(moment) s"
    let end =
      bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == [13, 10, 13, 10] }.map { $0 + 4 } ?? bytes.count
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(whereSeparator: \.isNewline)
    let body = bytes[end...]
    var text = ([Substring(head)] + lines).joined(separator: "\n  ")
    if !body.isEmpty {
      let isText = body.allSatisfy { (32..<127).contains($0) || $0 >= 128 || $0 == 10 || $0 == 13 || $0 == 9 }
      text += "\n  " + (isText ? String(decoding: body, as: UTF8.self) : Hexadecimal.text(body))
    }
    return text + "\n"
  }
}
