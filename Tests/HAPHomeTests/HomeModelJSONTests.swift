import HAPModel
import HAPWire
import Testing

@testable import HAPHome

@Suite("Whole models and errors in JSON")
struct HomeModelJSONTests {
  private static func read(_ text: String) throws -> HomeModel {
    try HomeModel(JSONNode.parse(Array(text.utf8), depthLimit: JSONNode.homeDepthLimit))
  }

  private static func refusal(_ text: String) -> String? {
    do {
      _ = try read(text)
      return nil
    } catch { return (error as? JSONProblem)?.message }
  }

  @Test("A model after random commands is read as it was written")
  func random() throws {
    #expect(try Self.read(HomeModel().node.compactText) == HomeModel())
    for seed in 0..<20 {
      var random = JSONRandomModel(seed: UInt64(seed))
      for step in 0..<60 {
        _ = random.step()
        guard step % 20 == 19 else { continue }
        let text = random.model.node.compactText
        let again = try Self.read(text)
        #expect((again == random.model) as Bool, "seed \(seed), step \(step)")
        #expect((again.node.compactText == text) as Bool)
      }
    }
  }

  @Test("A model that contradicts itself is refused, with the object")
  func contradictions() throws {
    var bench = HomeBench()
    let home = try bench.addHome()
    try bench.perform(.addHome(name: "Other", zone: .utc, location: nil, owner: "Bert"))
    let hall = try bench.addRoom("Hall", to: home)
    let floor = try bench.addZone("Floor", to: home)
    try bench.perform(.addRoomToZone(room: hall, zone: floor))
    let text = bench.model.node.compactText
    #expect(Self.refusal(text) == nil)
    func refusal(_ old: String, _ new: String) throws -> String {
      let changed = text.replacing(old, with: new)
      #expect(changed != text)
      return try #require(Self.refusal(changed))
    }
    let list = "the homes are not valid: "
    #expect(
      try refusal("\"Other\"", "\"My home\"") == list
        + "\(bench.model.homes[1].id): another home has the name \"My home\"")
    #expect(try refusal("\"Hall\"", "\"Floor\"") == list + "\(floor): another object has the name \"Floor\"")
    let rooms = "\"rooms\":[{\"id\":\"\(hall)\",\"name\":\"Hall\"}]"
    #expect(try refusal(rooms, "\"rooms\":[]").hasPrefix(list + "\(floor): the room \(hall) is not there"))
    let primary = "\"primaryHome\":\"\(home)\""
    #expect(try refusal(primary, "\"primaryHome\":null").hasPrefix("the primary home is one of the homes"))
    #expect(try refusal(primary, "\"primaryHome\":\"\(hall)\"").hasPrefix("the primary home is one of the homes"))
    #expect(try refusal(primary, "\"x\":1").hasPrefix("there is no member \"x\""))
    #expect(Self.refusal(#"{"homes": []}"#) == "\"primaryHome\" is missing")
    #expect(Self.refusal(#"{"homes": [], "primaryHome": "\#(home)"}"#)?.hasPrefix("the primary home is one") == true)
  }

  @Test("Each error is read as it was written", arguments: HomeError.Code.allCases)
  func errors(_ code: HomeError.Code) throws {
    for rule in [nil] + HomeRule.allCases.map(Optional.some) {
      let error = HomeError(code, rule, "a \"message\"")
      #expect(try HomeError(JSONNode.parse(Array(error.node.compactText.utf8))) == error)
    }
  }
}
