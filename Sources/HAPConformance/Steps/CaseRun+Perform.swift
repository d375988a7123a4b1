import HAPExpectation
import HAPSuite
import HAPWire

extension CaseRun {
  /// Carries out one step. Its texts are resolved here, but for steps inside it, which may use variables that it gives.
  func perform(_ step: StepName, _ node: JSONNode) async throws {
    if !marks.isEmpty { refreshMarks() }
    switch step {
    case .connect: try await connect(try scope.resolve(node))
    case .close: try close(try scope.resolve(node))
    case .settle: await close()
    case .reading: try reading(try scope.resolve(node))
    case .secure: try secure(try scope.resolve(node))
    case .send: try await send(try scope.resolve(node))
    case .expect: try await expect(node)
    case .event: try await event(try scope.resolve(node))
    case .events: try await events(try scope.resolve(node))
    case .silence: try await silence(try scope.resolve(node))
    case .forget: connections[name(of: try scope.resolve(node))]?.forgetEvents()
    case .pair: try await pair(try scope.resolve(node))
    case .verify: try await verify(try scope.resolve(node))
    case .controller: try await controllerStep(try scope.resolve(node))
    case .unpair: try await unpair(try scope.resolve(node))
    case .let:
      for member in node.members ?? [] {
        scope[member.name] = try scope.resolve(member.value)
        used.save([member.name], from: used.sources(of: member.value))
      }
    case .make:
      for member in try scope.resolve(node).members ?? [] {
        scope[member.name] = .text(Hexadecimal.text(try maker.bytes(member.value)))
      }
    case .collect: try collect(node)
    case .check: try check(try scope.resolve(node))
    case .find: try find(node)
    case .database: try await readDatabase(try scope.resolve(node))
    case .lint: try lint(try scope.resolve(node))
    case .compare: try compare(try scope.resolve(node))
    case .record: note(Scope.text(try scope.resolve(node)))
    case .deviation: deviate(Scope.text(try scope.resolve(node)))
    case .fail: throw CaseFailure(Scope.text(try scope.resolve(node)))
    case .skip: throw CaseSkip(reason: Scope.text(try scope.resolve(node)))
    case .mark: await mark(Scope.text(try scope.resolve(node)))
    case .repeat: try await repeated(node)
    case .each: try await each(node)
    case .if: try await branch(node)
    case .together: try await together(node)
    case .wait: try await pause(try duration(try scope.resolve(node), default: .zero))
    case .try: try await attempt(node)
    case .finally: lastSteps += stepsOf(node)
    case .hook: try await hook(try scope.resolve(node))
    case .reachable: try await reachable(try scope.resolve(node))
    case .alive: try await alive()
    case .mdns: try await mdns(try scope.resolve(node))
    case .txt: try txt(try scope.resolve(node))
    case .claims: try claims()
    // The reader of the suite has replaced it by the steps of the routine.
    case .do: throw StepError(node, "there is no step \"do\"")
    }
  }
}
