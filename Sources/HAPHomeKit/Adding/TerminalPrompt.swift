import Dispatch
import Foundation
import HAPCommandLine
import HAPHome
import HAPModel
import HAPWire

/// The prompt of a program on a terminal: questions on standard error, and answers on standard input. "cancel" and the
/// end of the input cancel the operation.
struct TerminalPrompt: HMSetupPrompt {
  private let console: Console
  /// A read of the terminal blocks its thread, which must not be that of the main queue. Reads follow each other.
  private static let queue = DispatchQueue(label: "HMSetupUI")

  nonisolated init(_ console: Console) { self.console = console }

  // MARK: Questions

  func setupCode(for request: HMSetupUI.CodeRequest) async throws -> String? {
    complain(request.problem)
    let accessory = request.accessory.map { " of \($0.text)" } ?? ""
    return await ask("Setup code\(accessory) (such as 031-45-154, or X-HM://…):") { $0.isEmpty ? nil : $0 }
  }

  func accessory(among candidates: HMSetupUI.Candidates) async throws -> HMSetupUI.Candidate? {
    complain(candidates.problem)
    complain("Searching for accessories…")
    let menu = Menu()
    for line in candidates.found.compactMap(menu.add) { complain(line) }
    // Accessories that appear while the person thinks; it ends with this function.
    async let _: Void = show(candidates, in: menu)
    return await ask("Which accessory? (its number, when it is listed)") { answer in
      if let candidate = menu.candidate(answer) { return candidate }
      complain("There is no accessory \"\(answer.oneLine)\" in the list.")
      return nil
    }
  }

  private func show(_ candidates: HMSetupUI.Candidates, in menu: Menu) async {
    for await found in candidates.updates {
      let lines = found.compactMap(menu.add)
      // The cursor is after the question.
      if !lines.isEmpty { complain("") }
      for line in lines { complain(line) }
    }
  }

  func home(among homes: [HMHome], for candidates: HMSetupUI.Candidates) async throws -> HMHome? {
    if candidates.found.count == 1, let only = candidates.found.first { complain("Accessory: \(only.text)") }
    for (index, home) in homes.enumerated() { complain("\(index + 1)  \(home.name.oneLine)") }
    return await ask("Which home?") { answer in
      if let number = Int(answer), homes.indices.contains(number - 1) { return homes[number - 1] }
      if let home = homes.first(where: { HomeName($0.name).key == HomeName(answer).key }) { return home }
      complain("There is no home \"\(answer.oneLine)\".")
      return nil
    }
  }

  func nameAndRoom(for page: HMSetupUI.Page) async throws -> HMSetupUI.PageAnswer? {
    complain(page.problem)
    var answer = page.suggestions
    let service = "\(page.service.localizedDescription.oneLine) of \(page.accessory.name.oneLine)"
    guard let name = await ask("Name of the \(service) [\(answer.name.oneLine)]:", { $0 }) else { return nil }
    let rooms = page.rooms.map(\.name.oneLine).joined(separator: ", ")
    guard let room = await ask("Room (\(rooms), or a new one) [\(answer.room.oneLine)]:", { $0 }) else { return nil }
    if !name.isEmpty { answer.name = name }
    if !room.isEmpty { answer.room = room }
    return answer
  }

  func userToInvite(to home: HMHome) async throws -> HMUserInvitation? {
    let question = "Name of the user of \(home.name.oneLine):"
    guard let name = await ask(question, { $0.isEmpty ? nil : $0 }) else { return nil }
    let isAdministrator = await ask("May \(name.oneLine) edit the home? (yes, no) [no]:") { answer -> Bool? in
      switch answer.lowercased() {
      case "yes", "y": true
      case "no", "n", "": false
      default: nil
      }
    }
    return isAdministrator.map { HMUserInvitation(name: name, isAdministrator: $0) }
  }

  // MARK: The terminal

  /// Asks until the answer is a valid one.
  /// - Parameter convert: returns nil for an answer that is not valid.
  /// - Returns: nil if the person cancels.
  private func ask<Answer>(_ question: String, _ convert: (String) -> Answer?) async -> Answer? {
    while true {
      guard let line = await readLine(after: question) else { return nil }
      let text = line.trimmingCharacters(in: .whitespacesAndNewlines)
      if text == "cancel" { return nil }
      if let answer = convert(text) { return answer }
    }
  }

  private func readLine(after question: String) async -> String? {
    await withCheckedContinuation { continuation in
      Self.queue.async { [console] in continuation.resume(returning: console.ask(question)) }
    }
  }

  private func complain(_ problem: HMError?) { if let problem { complain(problem.localizedDescription) } }
  private func complain(_ line: String) { console.complain(line) }

  /// The numbers of accessories on the terminal. An accessory that disappears keeps its number.
  @MainActor private final class Menu {
    private var candidates: [HMSetupUI.Candidate] = []

    /// Returns the line of an accessory; nil if it has one already.
    func add(_ candidate: HMSetupUI.Candidate) -> String? {
      guard !candidates.contains(where: { $0.device == candidate.device }) else { return nil }
      candidates.append(candidate)
      return "\(candidates.count)  \(candidate.text)"
    }

    func candidate(_ answer: String) -> HMSetupUI.Candidate? {
      Int(answer).flatMap { candidates.indices.contains($0 - 1) ? candidates[$0 - 1] : nil }
    }
  }
}

extension HMSetupUI.Candidate {
  /// "Hall Lamp  Lightbulb  AA:BB:CC:00:00:01".
  fileprivate var text: String { "\(name.oneLine)  \(category.localizedDescription)  \(device)" }
}
