import HAPCommandLine
import HAPController
import HAPIP
import HAPStore
import HAPTransport
import HAPWire

extension Command {
  private static let output = Option<String>("output", letter: "o", "FILE", "write the picture to FILE")
  private static let width = Option<Int>("width", "N", in: 1...16_384, "the width in pixels (default: 640)")
  private static let height = Option<Int>("height", "N", in: 1...16_384, "the height in pixels (default: 480)")
  private static let aid = Option<UInt64>(
    "aid", "N", in: 1...UInt64.max, "the accessory ID of a bridge's camera")

  /// `hapctl resource`
  static let resource = Command(
    "resource", "fetch a camera's picture",
    operands: .some(label: "TARGET", count: 1...1),
    options: [output.definition, width.definition, height.definition, aid.definition] + CommonOptions.all,
    discussion: [
      "FILE is created or replaced only after the whole picture has arrived."
    ],
    examples: [("hapctl resource porch -o porch.jpg", "saves the camera's current picture")]
  ) { (arguments, console) throws(UsageError) in
    let visit = try Visit("resource", to: try Target(arguments.operands[0]), arguments, console)
    guard let path = try arguments.value(output) else { throw UsageError("--output is missing") }
    let request = ControllerRequest.snapshot(
      width: try arguments.value(width) ?? 640, height: try arguments.value(height) ?? 480,
      aid: try arguments.value(aid))
    return visit.withAccessory { accessory in
      let answer = try await accessory.client.request(request)
      guard answer.status == 200 else {
        throw Failure(
          .problem, "the accessory sent no picture: \(ClientError.status(answer.status, request: request.name))")
      }
      guard !answer.body.isEmpty else { throw Failure(.problem, "the accessory's picture is empty") }
      try writeFile(path, answer.body, overwriting: true)
      return .well
    }
  }
}
