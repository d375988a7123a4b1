import HAPHome

extension SetupFlow {
  /// The accessory in the home; nil if it was removed.
  func accessory(_ id: HomeObjectID) -> HomeAccessory? {
    home.flatMap { model.home($0) }?.accessories.find(id)
  }

  /// The pages of accessories: one for each service that apps show.
  func pages(of ids: [HomeObjectID]) -> [SetupPage] {
    ids.compactMap { accessory($0) }.flatMap { accessory in
      accessory.services.filter(\.isUserInteractive).enumerated().map { index, service in
        SetupPage(
          accessory: accessory.id, service: service.id, name: service.name.text, room: accessory.room,
          asksRoom: index == 0)
      }
    }
  }

  /// The page with the present name and room; unchanged if another app removed the service.
  func refreshed(_ page: SetupPage) -> SetupPage {
    guard let accessory = accessory(page.accessory), let service = accessory.services.find(page.service) else {
      return page
    }
    var page = page
    (page.name, page.room) = (service.name.text, accessory.room)
    if page.asksRoom, let home = home.flatMap({ model.home($0) }), accessory.room == home.roomForEntireHome.id,
      let lastRoom, home.room(lastRoom) != nil
    {
      page.room = lastRoom
    }
    return page
  }

  /// Shows the next page whose service is still in the home, or ends the flow.
  mutating func nextPage() {
    while !later.isEmpty {
      let page = later.removeFirst()
      guard accessory(page.accessory)?.services.find(page.service) != nil else { continue }
      step = .page(refreshed(page), problem: nil)
      return
    }
    let present = added.filter { accessory($0) != nil }
    step =
      present.isEmpty
      ? .failed(HomeError(.objectNotAssociatedToAnyHome, .o1, "another app removed the accessory: add it again"))
      : .done(present)
  }

  // MARK: Saving

  /// The commands that give the accessory the name of the beginning.
  func naming() -> [Pending] {
    guard let name, let accessory = added.first.flatMap(accessory), accessory.name.text != name else { return [] }
    let service = accessory.hasNameOfService ? accessory.services.first(where: \.isUserInteractive) : nil
    return [.command(.rename(accessory.id, name))] + (service.map { [.command(.rename($0.id, name))] } ?? [])
  }

  mutating func answer(_ page: SetupPage, _ name: String, _ room: SetupRoom) -> [Action] {
    guard let accessory = accessory(page.accessory), let service = accessory.services.find(page.service) else {
      nextPage()
      return []
    }
    commands = []
    if name != service.name.text {
      if accessory.hasNameOfService, accessory.name.text != name {
        commands.append(.command(.rename(accessory.id, name)))
      }
      commands.append(.command(.rename(service.id, name)))
    }
    switch room {
    case .existing(let id):
      if id != accessory.room { commands.append(.command(.moveAccessory(accessory.id, room: id))) }
    case .new(let name):
      guard let home else { preconditionFailure("the home was chosen before") }
      commands += [.command(.addRoom(home: home, name: name)), .moveToNewRoom(accessory.id)]
    }
    return save(page, nil)
  }

  /// Sends the next command of a page, or shows the next page.
  /// - Parameters:
  ///   - page: nil: before the first page.
  ///   - newRoom: the room that the command before has added.
  mutating func save(_ page: SetupPage?, _ newRoom: HomeObjectID?) -> [Action] {
    guard !commands.isEmpty else {
      if let page {
        if let room = accessory(page.accessory)?.room { lastRoom = room }
        earlier.append(page)
      }
      nextPage()
      return []
    }
    let command: HomeCommand
    switch commands.removeFirst() {
    case .command(let next): command = next
    case .moveToNewRoom(let accessory):
      guard let newRoom else { preconditionFailure("the command before adds the room") }
      command = .moveAccessory(accessory, room: newRoom)
    }
    (step, waitsFor) = (.saving(page), .command)
    return [.perform(command)]
  }

  // MARK: Changes of other apps

  mutating func changed(_ changes: [HomeChange]) -> [Action] {
    model.apply(changes)
    if let home, model.home(home) == nil, !isOver {
      let actions = endSearch()
      step = .failed(HomeError(.notFound, .o1, "another app removed the home: choose another one"))
      return actions
    }
    if case .page(let page, problem: _) = step, accessory(page.accessory)?.services.find(page.service) == nil {
      nextPage()
    }
    return []
  }
}

extension HomeAccessory {
  /// Whether the only service for people has the name of the accessory: people see one name.
  fileprivate var hasNameOfService: Bool {
    let services = services.filter(\.isUserInteractive)
    return services.count == 1 && services[0].name.key == name.key
  }
}
