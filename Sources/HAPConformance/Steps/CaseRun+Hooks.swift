import HAPExpectation
import HAPLoop
import HAPReport
import HAPSuite
import HAPTarget
import HAPWire

extension CaseRun {
  func hook(_ hook: HookAction) async throws {
    let name = hook.name
    guard world.hooks.isAvailable(name) else {
      if hook.isOptional { return note("there is no hook \(name.rawValue)") }
      throw CaseSkip(reason: "no hook \(name.rawValue)")
    }
    let call = try Self.call(hook)
    recorder.add(TranscriptEntry(time: recorder.now, kind: .hook, title: call.request))
    await noteRestart(name)
    switch name {
    case .reboot, .powerCut, .start, .factoryReset: used.hasRestarted = true
    default: break
    }
    do throws(HookFailure) {
      let answer = try await world.hooks.run(call)
      if let variable = hook.refused { scope[variable] = .text("") }
      if let variable = hook.save { scope[variable] = answer ?? JSONNode(.null) }
      recorder.add(
        TranscriptEntry(
          time: recorder.now, kind: .hook, title: "\(name.rawValue): done", decoded: answer.map { Scope.text($0) } ?? ""
        ))
    } catch {
      if Task.isCancelled { throw CaseInterrupted() }
      if error.code == .refused, let variable = hook.refused {
        scope[variable] = .text(error.message)
        return
      }
      switch error.code {
      case .unavailable: throw CaseSkip(reason: error.message)
      case .refused, .timedOut, .cancelled, .ended: throw StepProblem(error.message)
      }
    }
    if name == .factoryReset {
      device.owner = nil
      device.identity = nil
      device.hasStrayPairing = false
    }
  }

  /// Notes that the accessory restarts, so that only later announcements count.
  private func noteRestart(_ name: HookName) async {
    guard let observer = world.observer else { return }
    switch name {
    case .reboot, .powerCut, .start, .radio:
      if let id = device.id { device.restart = (await observer.mark, [.id(id)]) }
    case .factoryReset:
      // A factory reset changes its ID and may change its name.
      let host = SocketAddress(host: device.address.host, port: 0)
      let name = device.instanceName.map { [ServiceTarget.name($0)] } ?? []
      device.restart = (await observer.mark, name + [.address(host)])
    default: break
    }
  }

  private static func call(_ hook: HookAction) throws(StepError) -> HookCall {
    var call = HookCall(hook.name)
    call.value = hook.value
    call.kind = hook.kind
    switch try hook.subject?.found() {
    case .characteristic(let aid, let iid, let name, let service)?:
      (call.aid, call.iid, call.characteristic) = (aid, iid, name)
      call.service = service.map { .iid($0) }
    case .service(let aid, let iid)?:
      call.aid = aid
      call.service = iid.map { .iid($0) }
    case .accessory(let aid)?: call.aid = aid
    case nil: break
    }
    return call
  }
}
