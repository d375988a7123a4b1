import HAPHome
import HAPModel

/// The steps by which a person adds an accessory: the home, the setup code, the accessory, pairing, and then a name and
/// a room for each service that apps show. home.md §11.
///
/// The command line, a page or an app draws `step`, passes what the person does and what the hub answers to `receive`,
/// and performs the actions that it returns, in their order. An input that does not belong to the present step is
/// ignored: it was sent before the step changed.
package struct SetupFlow: Sendable {
  /// What the person sees.
  package enum Step: Hashable, Sendable {
    /// The person chooses one of several homes. Next: `code`.
    case home
    /// The person enters a setup code or a payload. Next: `choose`, or `verifying` if the code shows the accessory.
    case code(problem: HomeError?)
    /// The person chooses one of `candidates`. Next: `verifying`.
    case choose(problem: HomeError?)
    /// The hub pairs with the accessory; nil: the one that the payload belongs to. Next: `page`, `done`, or `code` or
    /// `choose` with the reason.
    case verifying(DeviceID?)
    /// The person enters the name and the room of a service. Next: `saving`, or the next page.
    case page(SetupPage, problem: HomeError?)
    /// The hub changes names and rooms; nil: it names the accessory. Next: the next page, or the same one with the reason.
    case saving(SetupPage?)
    /// The flow was cancelled, and the hub removes the pairing, or may still pair. Next: `cancelled` or `failed`.
    case cancelling
    /// The accessories are in the home: the device first, then the bridged ones.
    case done([HomeObjectID])
    /// Nothing was added.
    case cancelled
    /// The flow ended because of an error that the person can't correct in it.
    case failed(HomeError)
  }

  package enum Input: Hashable, Sendable {
    case home(HomeObjectID)
    /// The text that the person entered.
    case code(String)
    /// An accessory appeared on the network, or its record changed.
    case found(SetupCandidate)
    case gone(DeviceID)
    case choose(DeviceID)
    /// The name and the room of the page's service.
    case answer(name: String, room: SetupRoom)
    /// The answer to `pair`: the accessories, the device first, and the changes of the home.
    case paired([HomeObjectID], [HomeChange])
    /// The answer to `perform` or `remove`.
    case performed([HomeChange])
    /// The answer to `pair`, `perform` or `remove`.
    case refused(HomeError)
    /// Changes that another app or the hub made.
    case changed([HomeChange])
    /// The person returns to the step before.
    case back
    /// The person ends the flow.
    case cancel
  }

  package enum Action: Hashable, Sendable {
    /// Begin to search for accessories that can be added.
    case search
    case endSearch
    /// Pair with a device and add it to a home; nil: the device that the payload belongs to. Answer: `paired` or `refused`.
    case pair(home: HomeObjectID, DeviceID?, code: String)
    /// Answer: `performed` or `refused`.
    case perform(HomeCommand)
    /// Remove the pairing and the accessory. Answer: `performed` or `refused`.
    case remove(HomeObjectID)
  }

  /// The present step.
  package internal(set) var step: Step
  /// The homes of the hub.
  package internal(set) var model: HomeModel
  /// The accessories that can be added, in the order in which they appeared.
  package internal(set) var candidates: [SetupCandidate] = []
  /// The home that gets the accessory; nil before it is chosen.
  package internal(set) var home: HomeObjectID?
  /// The device that was given, or that the person chose.
  var device: DeviceID?
  /// Whether the device was given: the person does not choose one.
  let isDeviceGiven: Bool
  /// The name that the accessory gets after the pairing; nil: its own.
  let name: String?
  var code: String?
  /// The accessories that were added, the device first.
  var added: [HomeObjectID] = []
  /// The pages that come after the present one.
  var later: [SetupPage] = []
  /// The pages that were answered, the last one at the end.
  var earlier: [SetupPage] = []
  /// The commands of the page that wait for the answer to the one before.
  var commands: [Pending] = []
  /// The action whose answer is missing.
  var waitsFor: Wait?
  var isSearching = false
  /// The room that the person chose last: the default of the next accessory.
  var lastRoom: HomeObjectID?

  /// A command of a page. A move can need the identifier of a room that a command before it adds.
  enum Pending: Hashable, Sendable {
    case command(HomeCommand)
    case moveToNewRoom(HomeObjectID)
  }

  enum Wait: Hashable, Sendable { case pairing, command, removal }

  /// Creates a flow at its first step. Perform the actions of `start` first.
  /// - Parameters:
  ///   - home: the home that gets the accessory; nil: the person chooses, if there are several.
  ///   - device: the device; nil: the person chooses.
  ///   - name: the name of the accessory, of a bridge itself; nil: its own.
  /// - Throws: 2 if there is no home.
  package init(
    _ model: HomeModel, home: HomeObjectID? = nil, device: DeviceID? = nil, name: String? = nil
  ) throws(HomeError) {
    guard let first = model.homes.first else {
      throw HomeError(.notFound, .o1, "there is no home for the accessory: add a home first")
    }
    if let home, model.home(home) == nil { throw HomeError.unknownHome(home) }
    self.model = model
    self.home = home ?? (model.homes.count == 1 ? first.id : nil)
    (self.device, isDeviceGiven, self.name) = (device, device != nil, name)
    step = self.home == nil ? .home : .code(problem: nil)
  }

  /// Whether the flow is over.
  package var isOver: Bool {
    switch step {
    case .done, .cancelled, .failed: true
    case .home, .code, .choose, .verifying, .page, .saving, .cancelling: false
    }
  }

  /// The device in the home, while questions about it follow or the hub changes it; nil otherwise.
  package var paired: HomeAccessory? {
    switch step {
    case .page, .saving: added.first.flatMap(accessory)
    case .home, .code, .choose, .verifying, .cancelling, .done, .cancelled, .failed: nil
    }
  }

  /// Whether there is a step before the present one to which `back` leads.
  package var canGoBack: Bool {
    switch step {
    case .code: hasChosenDevice || model.homes.count > 1
    case .choose: true
    case .page: !earlier.isEmpty
    case .home, .verifying, .saving, .cancelling, .done, .cancelled, .failed: false
    }
  }

  /// Whether the person chose a device, for which the code was wrong.
  var hasChosenDevice: Bool { device != nil && !isDeviceGiven }

  /// The actions of the beginning.
  package mutating func start() -> [Action] { device == nil ? search() : [] }

  mutating func search() -> [Action] {
    guard !isSearching else { return [] }
    (isSearching, candidates) = (true, [])
    return [.search]
  }

  mutating func endSearch() -> [Action] {
    guard isSearching else { return [] }
    isSearching = false
    return [.endSearch]
  }
}

/// An accessory on the network that can be added.
package struct SetupCandidate: Hashable, Sendable {
  package var device: DeviceID
  package var name: String
  package var model: String?
  /// The category's number, HAP R2 §13.
  package var category: UInt8?

  package init(device: DeviceID, name: String, model: String? = nil, category: UInt8? = nil) {
    (self.device, self.name, self.model, self.category) = (device, name, model, category)
  }
}

/// The page of a service: its name, and the room of its accessory.
package struct SetupPage: Hashable, Sendable {
  package var accessory: HomeObjectID
  package var service: HomeObjectID
  /// The default: the present name of the service.
  package var name: String
  /// The default: the present room of the accessory, or the room that was chosen last.
  package var room: HomeObjectID
  /// Whether it is the first page of its accessory: later pages show the room again, because it is one for the
  /// whole accessory.
  package var asksRoom: Bool
}

/// The answer to the question about the room.
package enum SetupRoom: Hashable, Sendable {
  case existing(HomeObjectID)
  /// The room is added to the home first.
  case new(String)
}
