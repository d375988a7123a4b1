import HAPHost
import HAPModel
import HAPVocabulary
import HAPWeb
import HAPWire

extension ControlAPI {
  func showMatter(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let state = try await matterState(call)
    return .json { state.write(to: &$0) }
  }

  func showMatterImage(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    .image(ofPayload: try await matterState(call).codes.payload)
  }

  /// The QR code of the open window.
  func showWindowImage(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    guard let codes = try await matterState(call).window?.codes else {
      throw WebProblem(
        404, "no-such-window",
        "no commissioning window is open, or a controller has opened it with a code that only this controller knows")
    }
    return .image(ofPayload: codes.payload)
  }

  func openWindow(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    var action = SimulatorCommand.Action.openWindow(.basic, seconds: MatterWindow.timeouts.lowerBound)
    if call.body != nil {
      action = try call.reading { (node) throws(JSONProblem) in
        _ = try node.asObject()
        try node.refuseUnknownMembers(exactly: ["kind", "seconds"])
        return try SimulatorCommand.Action(.openWindow, node)
      }
    }
    return .result(try await perform(action, at: accessory(call)))
  }

  func closeWindow(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    try await perform(.closeWindow, at: accessory(call))
    return .done
  }

  func removeFabric(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let number = try Self.number(call.parameter("fabric"), "the index of a fabric")
    guard let index = UInt8(exactly: number), MatterFabric.indices.contains(index) else {
      throw WebProblem(404, "no-such-fabric", "a fabric has an index from 1 to 254, not \(number)")
    }
    try await perform(.removeFabric(index), at: accessory(call))
    return .done
  }

  private func matterState(_ call: ControlCall) async throws(WebProblem) -> MatterNodeState {
    let state = try await accessory(call).look { accessory in
      Result { () throws(CommandError) in try accessory.matterState() }
    }
    do throws(CommandError) { return try state.get() } catch { throw WebProblem(error) }
  }
}
