import HAPLoop

// To be removed when `SimulatedChild` is merged.
extension SimulatedLoopDriver {
  func launch(
    _ launch: ChildProcess.Launch, on loop: EventLoop, onEvent: @escaping (ChildProcess.Event) -> Void
  ) throws(LoopError) -> any LaunchedProcess {
    throw LoopError(.permissionDenied, "starting \"\(launch.command)\": the simulated host has no programs")
  }
}
