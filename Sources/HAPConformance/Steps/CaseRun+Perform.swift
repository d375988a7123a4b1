import HAPExpectation
import HAPSuite
import HAPWire

extension CaseRun {
  /// Performs one step.
  func perform(_ step: Step) async throws {
    if !marks.isEmpty { refreshMarks() }
    switch try step.action(in: scope, expectations) {
    case .connect(let connect): try await self.connect(connect)
    case .close(let name, let how): try close(name, how)
    case .settle: await close()
    case .reading(let name, let isPaused): try existing(name).read(!isPaused)
    case .secure(let name, let procedure, let origin): try secure(name, procedure, origin)
    case .send(let send): try await self.send(send)
    case .expect(let expectation): try await expect(expectation)
    case .event(let expectation): try await event(expectation)
    case .events(let collection): try await events(collection)
    case .silence(let silence): try await self.silence(silence)
    case .forget(let name): connections[name]?.forgetEvents()
    case .pair(let pair): try await self.pair(pair)
    case .verify(let verify): try await self.verify(verify)
    case .controller(let controller): try await add(controller)
    case .unpair(let name): try await unpair(name)
    case .let(let values):
      for value in values {
        scope[value.name] = try value.value.value(in: scope)
        used.save([value.name], from: used.sources(of: value.value.variables))
      }
    case .make(let values):
      for value in values { scope[value.variable] = .text(Hexadecimal.text(maker.bytes(value.bytes))) }
    case .collect(let values): try collect(values)
    case .check(let checks): try check(checks)
    case .find(let subjects): try find(subjects)
    case .database(let reading): try await readDatabase(reading)
    case .lint(let rules): try lint(rules)
    case .compare(let comparison): try compare(comparison)
    case .record(let text): note(text)
    case .deviation(let text): deviate(text)
    case .fail(let text): throw CaseFailure(text)
    case .skip(let text): throw CaseSkip(reason: text)
    case .mark(let name): await mark(name)
    case .repeat(let repetition): try await repeated(repetition)
    case .each(let iteration): try await each(iteration)
    case .if(let branch):
      let isSo = try Pattern.mismatch(branch.that, branch.pattern) == nil
      try await run(isSo ? branch.then : branch.otherwise)
    case .together(let lanes): try await together(lanes)
    case .wait(let duration): try await pause(duration)
    case .try(let attempt): try await self.attempt(attempt)
    case .finally(let steps): lastSteps += steps
    case .hook(let hook): try await self.hook(hook)
    case .reachable(let limit): try await reachable(within: limit ?? .seconds(30))
    case .alive: try await alive()
    case .mdns(let action): try await mdns(action)
    case .txt(let patterns): try txt(patterns)
    case .claims: try claims()
    }
  }
}
