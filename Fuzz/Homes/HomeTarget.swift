import FuzzSupport
import HAPHome
import HAPHomeEngine
import HAPWire

/// Reads a command or a change of a home, a state of its engine, or a list of rows of its store. A command, a change or a
/// state that was read can be written and read again unchanged. Rows make a model whose own rows are read as the same model, and each of its
/// objects can be removed.
package func fuzzHome(_ bytes: UnsafeRawBufferPointer) {
  let bytes = [UInt8](bytes)
  checkCommand(bytes)
  guard let node = try? JSONNode.parse(bytes, depthLimit: JSONNode.homeDepthLimit) else { return }
  if let rows = node.elements {
    checkRows(rows.map(row))
  } else if node["change"] != nil {
    checkChange(node)
  } else {
    checkState(node, { node throws(JSONProblem) in try TriggerState(node) }, \.json)
    checkState(node, { node throws(JSONProblem) in try PersonState(node) }, \.json)
  }
}

private func checkCommand(_ bytes: [UInt8]) {
  let command: HomeCommand
  do throws(HomeError) { command = try HomeCommand(json: bytes) } catch { return require(!error.message.isEmpty) }
  let line = command.json
  require(!line.contains("\n"), "a written command has several lines")
  do throws(HomeError) {
    let again = try HomeCommand(json: Array(line.utf8))
    require(again == command, "the written line reads as another command: \(line)")
    require(again.json == line, "the command is written as another line: \(line)")
  } catch { require(false, "a written command is refused: \(line): \(error)") }
}

private func checkChange(_ node: JSONNode) {
  let change: HomeChange
  do throws(JSONProblem) { change = try HomeChange(node) } catch { return require(!error.message.isEmpty) }
  let line = change.json
  guard let again = try? HomeChange(JSONNode.parse(Array(line.utf8), depthLimit: JSONNode.homeDepthLimit)) else {
    return require(false, "a written change is refused: \(line)")
  }
  require(again == change && again.json == line, "the written line reads as another change: \(line)")
  var model = HomeModel()
  model.apply([change])
  require(model.rows.count >= model.homes.count, "a home has no row")
}

/// Checks a state of the engine, which may come from another hub's store.
private func checkState<State: Equatable>(
  _ node: JSONNode, _ read: (JSONNode) throws(JSONProblem) -> State, _ written: (State) -> JSONNode
) {
  let state: State
  do throws(JSONProblem) { state = try read(node) } catch { return require(!error.message.isEmpty) }
  let line = written(state).compactText
  guard let again = try? read(JSONNode.parse(Array(line.utf8))) else {
    return require(false, "a written state is refused: \(line)")
  }
  require(again == state, "the written line reads as another state: \(line)")
}

/// A row with columns as texts. The column `json` may also be the value itself.
private func row(_ node: JSONNode) -> HomeRow {
  func text(_ name: String) -> String { node[name].map { $0.stringValue ?? $0.compactText } ?? "" }
  return HomeRow(id: text("id"), home: text("home"), kind: text("kind"), name: text("name"), json: text("json"))
}

private func checkRows(_ rows: [HomeRow]) {
  var problems: [HomeRowProblem] = []
  let model = HomeModel(rows: rows, problems: &problems)
  require(problems.allSatisfy { !$0.reason.isEmpty }, "a problem has no reason")
  problems = []
  let again = HomeModel(rows: model.rows, problems: &problems)
  require(problems.isEmpty, "a model that was read has problems: \(problems)")
  require(again == model, "the rows of a model are read as another model")
  for home in model.homes {
    for command in removals(from: home) { check(command, in: model) }
  }
}

private func removals(from home: Home) -> [HomeCommand] {
  home.rooms.map { .removeRoom($0.id) } + home.zones.map { .removeZone($0.id) }
    + home.groups.map { .removeGroup($0.id) } + home.accessories.map { .removeAccessory($0.id) }
    + home.actionSets.map { .removeActionSet($0.id) } + home.triggers.map { .removeTrigger($0.id) }
    + home.users.map { .removeUser($0.id) } + [.removeHome(home.id)]
}

/// Performs a command, and checks that the updated rows are those of the changed model.
private func check(_ command: HomeCommand, in model: HomeModel) {
  var changed = model
  var generator = CountingGenerator()
  let context = HomeContext(now: .distantPast) { _ in .utc }
  guard let changes = try? changed.perform(command, in: context, using: &generator) else { return }
  var rows = Dictionary(uniqueKeysWithValues: model.rows.map { ($0.id, $0) })
  for update in HomeRowUpdate.updates(for: changes, from: model, to: changed) {
    switch update {
    case .keep(let row): rows[row.id] = row
    case .remove(let id): rows[id] = nil
    case .removeHome(let id): rows = rows.filter { $0.value.home != id }
    }
  }
  require(rows == Dictionary(uniqueKeysWithValues: changed.rows.map { ($0.id, $0) }), "rows differ after \(command)")
}

/// Different numbers, the same in each run.
private struct CountingGenerator: RandomNumberGenerator {
  private var count: UInt64 = 0

  mutating func next() -> UInt64 {
    count += 1
    return count
  }
}
