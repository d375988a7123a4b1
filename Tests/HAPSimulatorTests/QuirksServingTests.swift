@testable import HAPPreparation
import HAPCrypto
import HAPModel
import HAPProfile
import HAPStore
import Testing
@testable import HAPHost

@Suite("Precedence of quirks")
struct QuirksServingTests {
  private func prepared(
    _ members: String = "", _ choices: PreparedAccessory.Choices = .init(), in folder: StateFolder = .ephemeral()
  ) throws -> PreparedAccessory {
    let json = """
      { "format": "hasaccessory/1", "name": "Hall Lamp", "model": "L-1", "category": "lightbulb", \(members)
        "services": [ { "type": "LightBulb" } ] }
      """
    let profile = try AccessoryProfile(json: Array(json.utf8), fileName: "lamp")
    return try PreparedAccessory(profile, in: folder, choices: choices, random: .seeded(1))
  }

  @Test("The command line's quirks override the profile's, and the profile's override the default")
  func precedence() throws {
    #expect(try prepared().quirks == Quirks())
    let inProfile = #""quirks": "homespan","#
    #expect(try prepared(inProfile).quirks == Quirks.presets["homespan"])
    #expect(
      try prepared(inProfile, .init(quirks: Quirks.presets["hap-python"])).quirks == Quirks.presets["hap-python"])
    var expected = try #require(Quirks.presets["homespan"])
    expected.maximumSessions = 9
    #expect(try prepared(inProfile, .init(maximumSessions: 9)).quirks == expected)
  }

  @Test("[AD.8] md is the model, or the name if the quirks ask for it")
  func model() throws {
    #expect(try prepared().advertisement.model == "L-1")
    #expect(try prepared(#""quirks": { "modelIsName": true },"#).advertisement.model == "Hall Lamp")
  }

  @Test("[PS.41] Failed tries are kept over a restart, unless the quirks reset them")
  func failedTries() throws {
    let folder = StateFolder.ephemeral()
    let first = try prepared(in: folder)
    try first.store.setFailedTries(99)
    first.store.close()
    let second = try prepared(in: folder)
    #expect(second.failedAttempts == 99)
    second.store.close()
    #expect(try prepared(#""quirks": { "keepsFailedTries": false },"#, in: folder).failedAttempts == 0)
  }
}
