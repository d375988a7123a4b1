import HAPAlmanac
import HAPHome
import HAPWire

/// One comparison of a document with a home. It performs commands on a copy of the model.
struct HomeFilePlanner<Generator: RandomNumberGenerator> {
  let file: HomeFile
  let options: HomeFile.PlanOptions
  let context: HomeContext
  var generator: Generator
  private(set) var model: HomeModel
  private(set) var problems: [HomeFileProblem] = []
  private(set) var steps: [HomeFilePlan.Step] = []
  private var homeID: HomeObjectID?

  init(
    file: HomeFile, model: HomeModel, _ options: HomeFile.PlanOptions, context: HomeContext, generator: Generator
  ) {
    (self.file, self.model, self.options, self.context, self.generator) = (file, model, options, context, generator)
  }

  /// The home in its current state.
  var home: Home {
    guard let homeID, let home = model.home(homeID) else { preconditionFailure("the home was found before") }
    return home
  }

  mutating func plan() throws(HomeFileProblems) -> HomeFilePlan {
    findHome()
    try throwProblems()
    let target = resolve()
    try throwProblems()
    if let zone = file.timeZone { setTimeZone(zone) }
    if let location = file.location { setLocation(location) }
    if options.removesOthers { removeOthers(target) }
    renameAll(target)
    addPlaces(target)
    changeAccessories(target)
    changeGroups(target)
    changeScenes(target)
    for trigger in target.triggers { change(trigger) }
    try throwProblems()
    return HomeFilePlan(home: home.id, model: model, steps: steps)
  }

  private func throwProblems() throws(HomeFileProblems) {
    if !problems.isEmpty { throw HomeFileProblems(problems) }
  }

  /// Whether the search for errors ends.
  var isFull: Bool { problems.count >= HomeFileProblems.limit }

  mutating func complain(_ problem: JSONProblem) { problems.append(HomeFileProblem(problem)) }

  mutating func complain(_ place: JSONPlace, _ message: String) { problems.append(HomeFileProblem(place, message)) }

  // MARK: Commands

  /// Performs a command. A command that changes nothing is not a step.
  /// - Returns: the error; nil: it was performed.
  mutating func attempt(_ command: HomeCommand, _ difference: HomeDifference?) -> HomeError? {
    do throws(HomeError) {
      let changes = try model.perform(command, in: context, using: &generator)
      if !changes.isEmpty {
        steps.append(HomeFilePlan.Step(command: command, changes: changes, difference: difference))
      }
      return nil
    } catch { return error }
  }

  /// Performs a command, and reports its error at a place.
  @discardableResult
  mutating func perform(_ command: HomeCommand, at place: JSONPlace, _ difference: HomeDifference?) -> Bool {
    if isFull { return false }
    guard let error = attempt(command, difference) else { return true }
    complain(place, "\(error)")
    return false
  }

  // MARK: The home

  private mutating func findHome() {
    if let id = options.home {
      guard model.home(id) != nil else {
        return complain(file.home.place, "there is no home with the identifier \(id)")
      }
      homeID = id
      return
    }
    let name = HomeName(file.home.value)
    if let home = model.homes.first(where: { $0.name.key == name.key }) {
      homeID = home.id
      return
    }
    guard let zone = file.timeZone else {
      return complain(
        file.home.place,
        "there is no home \"\(name)\", and a new home needs a time zone: add timeZone, or correct the name of the home")
    }
    let location = file.location?.value ?? nil
    let difference = HomeDifference(
      change: .add, kind: "home", name: name.text, text: "add the home \"\(name)\"", place: file.home.place)
    if perform(
      .addHome(name: name.text, zone: zone.value, location: location, owner: options.owner), at: file.home.place,
      difference)
    {
      homeID = model.homes.last?.id
    }
  }

  private mutating func setTimeZone(_ zone: Placed<ZoneName>) {
    let text = "change the time zone of the home \"\(home.name)\" from \(home.zone) to \(zone.value)"
    perform(.setTimeZone(home: home.id, zone.value), at: zone.place, homeUpdate(text, zone.place))
  }

  private mutating func setLocation(_ location: Placed<Coordinate?>) {
    func text(_ place: Coordinate) -> String { "\(place.latitude), \(place.longitude)" }
    let text =
      switch (home.location, location.value) {
      case (let old?, let new?):
        "change the location of the home \"\(home.name)\" from \(text(old)) to \(text(new))"
      case (nil, let new?): "set the location of the home \"\(home.name)\" to \(text(new))"
      case (_, nil): "remove the location of the home \"\(home.name)\""
      }
    perform(.setLocation(home: home.id, location.value), at: location.place, homeUpdate(text, location.place))
  }

  private func homeUpdate(_ text: String, _ place: JSONPlace) -> HomeDifference {
    HomeDifference(change: .update, kind: "home", name: file.home.value, text: text, place: place)
  }

  /// Goes back to an earlier state of the plan, after commands that caused an error.
  mutating func restore(_ other: HomeFilePlanner) {
    (model, problems, steps) = (other.model, other.problems, other.steps)
  }
}
