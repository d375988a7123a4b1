import HAPAlmanac
import HAPHubLink
import HAPModel
import HAPWire
import Testing

@testable import HAPHome

@Suite("Changes between two states of a home")
struct DifferenceTests {
  /// Applies the difference to the earlier state.
  private func applied(_ before: HomeModel, _ after: HomeModel) -> HomeModel {
    var model = before
    model.apply(before.changes(to: after))
    return model
  }

  @Test("The difference of two states of random homes leads from one to the other", arguments: 0..<40 as Range<UInt64>)
  func random(seed: UInt64) {
    var random = JSONRandomModel(seed: seed)
    var states = [random.model]
    for _ in 0..<60 {
      _ = random.step()
      states.append(random.model)
    }
    for (before, after) in zip(states, states.dropFirst(7)) {
      // A home that was removed and added again is another one, and the order of homes is not compared.
      let result = applied(before, after)
      #expect(Set(result.homes) == Set(after.homes))
      #expect(before.changes(to: before).isEmpty)
    }
  }

  @Test("One renamed room is one change, and a home with another order is added again")
  func small() {
    var before = Home(
      id: .test(1), name: HomeName("Home"), zone: .utc,
      roomForEntireHome: Room(id: .test(2), name: HomeName("Default")),
      users: [HomeUser(id: .test(3), name: "Ann", role: .owner)])
    before.rooms = [Room(id: .test(4), name: HomeName("Hall")), Room(id: .test(5), name: HomeName("Attic"))]
    var after = before
    after.rooms[0].name = HomeName("Lobby")
    #expect(before.changes(to: after).map(\.detail) == [.roomRenamed(.test(4), HomeName("Lobby"))])
    after = before
    after.rooms.reverse()
    #expect(before.changes(to: after).map(\.detail) == [.homeRemoved, .homeAdded(after)])
  }
}
