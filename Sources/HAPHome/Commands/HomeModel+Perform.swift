extension HomeModel {
  /// Performs a command and returns its changes, dependants first. The model contains the changes afterwards.
  /// - Parameters:
  ///   - command: the command.
  ///   - context: the time, the user, and the rules of the command.
  ///   - generator: the source of new identifiers.
  /// - Throws: the first rule that the command breaks. Then the model has not changed.
  public mutating func perform<Generator: RandomNumberGenerator>(
    _ command: HomeCommand, in context: HomeContext, using generator: inout Generator
  ) throws(HomeError) -> [HomeChange] {
    var run = CommandRun(model: self, context: context, generator: generator)
    defer { generator = run.generator }
    try run.perform(command)
    self = run.model
    return run.changes
  }
}

/// One command: a copy of the model on which its changes are applied one after the other.
struct CommandRun<Generator: RandomNumberGenerator> {
  private(set) var model: HomeModel
  let context: HomeContext
  var generator: Generator
  private(set) var changes: [HomeChange] = []

  init(model: HomeModel, context: HomeContext, generator: Generator) {
    (self.model, self.context, self.generator) = (model, context, generator)
  }

  /// Adds a change to the result and applies it.
  mutating func emit(_ home: HomeObjectID, _ detail: HomeChange.Detail) {
    let change = HomeChange(home, detail)
    changes.append(change)
    model.apply([change])
  }

  mutating func newID() -> HomeObjectID { HomeObjectID.random(using: &generator) }

  mutating func perform(_ command: HomeCommand) throws(HomeError) {
    switch command {
    case .addHome, .removeHome, .setPrimaryHome, .setTimeZone, .setLocation: try performHome(command)
    case .addRoom, .removeRoom, .addZone, .removeZone, .addRoomToZone, .removeRoomFromZone, .addGroup, .removeGroup,
      .addServiceToGroup, .removeServiceFromGroup:
      try performPlace(command)
    case .rename(let id, let name): try rename(id, name)
    case .addDevice, .updateDevice, .removeAccessory, .moveAccessory, .blockAccessory, .unblockAccessory,
      .setAssociatedType:
      try performAccessory(command)
    case .addActionSet, .removeActionSet, .addAction, .updateAction, .removeAction: try performActionSet(command)
    case .addTrigger, .updateTrigger, .removeTrigger, .enableTrigger, .disableTrigger, .addActionSetToTrigger,
      .removeActionSetFromTrigger, .addOwnedActionSet:
      try performTrigger(command)
    case .addUser, .setRole, .removeUser: try performUser(command)
    }
  }
}
