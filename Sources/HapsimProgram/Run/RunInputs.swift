import HapsimInputs
import HapsimFiles
import HAPCommandLine
import HAPCommands
import HAPLoop
import HAPStore

/// Lets `hapsim ctl` speak to this process. Without a state folder it has no place to; where it can't, that is said, and accessories are served
/// all the same.
func openControl(
  in folder: StateFolder, _ dispatcher: any CommandTaker, on loop: EventLoop, _ console: Console
) -> ControlServer? {
  guard let path = folder.path else { return nil }
  let control = ControlFolder(stateFolder: path)
  do throws(LoopError) {
    try control.prepare()
    return try ControlServer(dispatcher, at: control.newPath(at: loop.readClock()), on: loop)
  } catch {
    console.complain("hapsim: 'hapsim ctl' won't find this process: \(error)")
    return nil
  }
}

/// Takes the lines of standard input as commands, and answers each on standard output.
/// - Parameter onEnd: Called after the end of the input, when every command is answered.
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
  // A sender of more commands than can be carried out has to wait.
  queue.onBusy = { reader.isHeld = true }
  queue.onIdle = {
    reader.isHeld = false
    if hasEnded { onEnd() }
  }
}
