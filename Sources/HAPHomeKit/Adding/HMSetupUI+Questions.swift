import Foundation
import HAPHubLink
import HAPModel

extension HMSetupUI {
  /// The question about the setup code.
  public struct CodeRequest: Sendable {
    /// The home that gets the accessory.
    public let home: HMHome
    /// The accessory; nil: the person chooses it after the code, or the code shows it.
    public let accessory: Candidate?
    /// The reason why the last code was refused; nil: it is the first attempt.
    public let problem: HMError?

    init(home: HMHome, accessory: Candidate?, problem: HMError?) {
      (self.home, self.accessory, self.problem) = (home, accessory, problem)
    }
  }

  /// An accessory on the network that can be added.
  public struct Candidate: Hashable, Sendable {
    /// The name of its network record. The text is the accessory's: it can contain any characters.
    public let name: String
    /// The model of its network record; nil without one.
    public let model: String?
    /// The category.
    public let category: HMAccessoryCategory
    /// The identifier: that of the accessory of a browser.
    public let identifier: UUID
    let device: DeviceID

    init(_ news: NewAccessory) {
      (name, model, device) = (news.name, news.model, news.device)
      category = HMAccessoryCategory(number: news.category ?? 1)
      identifier = UUID(of: news.device)
    }
  }

  /// The question about the name and the room of a service.
  public struct Page: Sendable {
    /// The accessory, which is in its home.
    public let accessory: HMAccessory
    /// The service.
    public let service: HMService
    /// The present name of the service, or the one that the app suggested.
    public let suggestedName: String
    /// The present room of the accessory, the one of the accessory before, or the one that the app suggested.
    public let suggestedRoom: HMRoom
    /// The rooms of the home. The first one is the room for the entire home.
    public let rooms: [HMRoom]
    /// The reason why the last answer was refused; nil: it is the first attempt.
    public let problem: HMError?

    init(
      accessory: HMAccessory, service: HMService, name: String, room: HMRoom, rooms: [HMRoom], problem: HMError?
    ) {
      (self.accessory, self.service, self.rooms, self.problem) = (accessory, service, rooms, problem)
      (suggestedName, suggestedRoom) = (name, room)
    }

    /// The answer that accepts the suggestions.
    public var suggestions: PageAnswer { PageAnswer(name: suggestedName, room: suggestedRoom.name) }
  }

  /// The name and the room of a service.
  public struct PageAnswer: Hashable, Sendable {
    /// The name of the service. If it is the only function of its accessory, the accessory gets the name, too.
    public var name: String
    /// The name of the room of the accessory. A room that the home does not have is added.
    public var room: String

    /// Creates an answer.
    public init(name: String, room: String) { (self.name, self.room) = (name, room) }
  }
}
