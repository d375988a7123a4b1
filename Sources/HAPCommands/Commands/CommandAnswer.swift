import HAPDevices
import HAPModel
import HAPVocabulary
import HAPWire

/// The JSON answers to commands. Each is one line without a newline.
package enum CommandAnswer {
  /// Returns `{"id":7,"ok":true,…}`.
  ///
  /// - Parameter members: writes further members (`key`, then a value) to the object.
  package static func success(id: SimulatorCommand.ID?, members: (inout JSONWriter) -> Void = { _ in }) -> String {
    answer(id, ok: true, members)
  }

  /// Returns `{"id":7,"ok":false,"error":{"code":"invalid-value","message":"…"}}`.
  package static func failure(id: SimulatorCommand.ID?, _ error: CommandError) -> String {
    answer(id, ok: false) { json in
      json.key("error")
      json.object {
        $0.key("code")
        $0.string(error.code.rawValue)
        $0.key("message")
        $0.string(error.message)
      }
    }
  }

  /// Returns an answer. The answer to a command without an `id` has a null `id`, so that every answer has one.
  private static func answer(_ id: SimulatorCommand.ID?, ok: Bool, _ members: (inout JSONWriter) -> Void) -> String {
    JSONWriter.text { json in
      json.object { json in
        json.key("id")
        if let id { id.write(to: &json) } else { json.null() }
        json.key("ok")
        json.bool(ok)
        members(&json)
      }
    }
  }
}
