import HAPExpectation
import HAPLoop
import HAPReport
import HAPSuite
import HAPTarget
import HAPWire

extension CaseRun {
  func hook(_ node: JSONNode) async throws {
    guard let name = node["name"]?.stringValue.flatMap(HookName.init(rawValue:)) else {
      throw StepError(node, "there is no such hook")
    }
    guard world.hooks.isAvailable(name) else {
      if node["optional"]?.boolValue == true { return note("nobody does \(name.rawValue)") }
      throw CaseSkip(reason: "no hook \(name.rawValue)")
    }
    let call = try call(name, node)
    recorder.add(TranscriptEntry(time: recorder.now, kind: .hook, title: call.request))
    await noteRestart(name)
    switch name {
    case .reboot, .powerCut, .start, .factoryReset: used.hasRestarted = true
    default: break
    }
    do throws(HookFailure) {
      let answer = try await world.hooks.run(call)
      if let variable = node["refused"]?.stringValue { scope[variable] = .text("") }
      if let variable = node["save"]?.stringValue { scope[variable] = answer ?? JSONNode(.null) }
      recorder.add(
        TranscriptEntry(
          time: recorder.now, kind: .hook, title: "\(name.rawValue): done", decoded: answer.map { Scope.text($0) } ?? ""
        ))
    } catch {
      if Task.isCancelled { throw CaseInterrupted() }
      if error.code == .refused, let variable = node["refused"]?.stringValue {
        scope[variable] = .text(error.message)
        return
      }
      switch error.code {
      case .unavailable: throw CaseSkip(reason: error.message)
      case .refused, .timedOut, .cancelled, .ended: throw StepError(node, error.message)
      }
    }
    if name == .factoryReset {
      device.owner = nil
      device.identity = nil
      device.hasStrayPairing = false
    }
  }

  /// What the accessory says of itself from now on is what counts, when it starts anew.
  private func noteRestart(_ name: HookName) async {
    guard let observer = world.observer else { return }
    switch name {
    case .reboot, .powerCut, .start, .radio:
      if let id = device.id { device.restart = (await observer.mark, [.id(id)]) }
    case .factoryReset:
      // Its ID is another one then, and its name may be.
      let host = SocketAddress(host: device.address.host, port: 0)
      let name = device.instanceName.map { [ServiceTarget.name($0)] } ?? []
      device.restart = (await observer.mark, name + [.address(host)])
    default: break
    }
  }

  private func call(_ name: HookName, _ node: JSONNode) throws -> HookCall {
    var call = HookCall(name)
    call.value = node["value"]
    call.kind = node["kind"]?.stringValue
    guard let subject = node["of"] else { return call }
    call.aid = subject["aid"]?.integerValue.flatMap(UInt64.init(exactly:))
    switch subject["kind"]?.stringValue {
    case "characteristic":
      call.iid = subject["iid"]?.integerValue.flatMap(UInt64.init(exactly:))
      call.characteristic = subject["name"]?.stringValue
      call.service = subject["service-iid"]?.integerValue.flatMap(UInt64.init(exactly:)).map { .iid($0) }
    case "service": call.service = subject["iid"]?.integerValue.flatMap(UInt64.init(exactly:)).map { .iid($0) }
    case "accessory": break
    default: throw StepError(node, "\"of\" is something that was found")
    }
    return call
  }
}
