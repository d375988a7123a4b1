import HapsimInputs
import HapsimFiles
import HAPCommandLine
import HAPCommands
import HAPLoop
import HAPStore

/// Opens the socket for `hapsim ctl`. Without a state folder there is no socket. If the socket can't be opened, an
/// error is printed, and the accessories are served nevertheless.
func openControl(
  in folder: StateFolder, _ dispatcher: any CommandTaker, on loop: EventLoop, _ console: Console
) -> ControlServer? {
  guard let path = folder.path else { return nil }
  let control = ControlFolder(stateFolder: path, loop.localSocketFiles)
  do throws(LoopError) {
    try control.prepare()
    return try ControlServer(dispatcher, at: control.newPath(at: loop.readClock()), on: loop)
  } catch {
    console.complain("hapsim: 'hapsim ctl' can't reach this process: \(error)")
    return nil
  }
}

/// Reads the lines of standard input as commands, and answers each on standard output.
/// - Parameter onEnd: called after the end of the input, when all commands are answered.
func takeCommands(
  from host: any RunHost, for dispatcher: any CommandTaker, on loop: EventLoop, _ lines: LineOutput,
  onEnd: @escaping () -> Void
) throws(LoopError) {
  let queue = CommandQueue(dispatcher, on: loop)
  queue.onAnswer = { lines.write($0, isDroppable: false) }
  var hasEnded = false
  let reader = try host.readLines(on: loop) { event in
    switch event {
    case .line(let line): queue.take(.line(line))
    case .tooLong(let limit): queue.take(.tooLong(limit: limit))
    case .end:
      hasEnded = true
      if queue.isIdle { onEnd() }
    }
  }
  // Pause a sender whose commands arrive faster than they are carried out.
  queue.onBusy = { reader.isHeld = true }
  queue.onIdle = {
    reader.isHeld = false
    if hasEnded { onEnd() }
  }
}
