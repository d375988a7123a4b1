import HAPCrypto
import HAPIP
import HAPModel
import HAPTestSupport
import Testing

@Suite("Accessory: the advertised record") struct AdvertisementTests {
  private func record(paired: Bool = false, setupID: String? = "7OSX") throws -> Advertisement {
    Advertisement(
      model: "T-1", deviceID: try #require(DeviceID("E1:91:1A:70:85:AA")), configurationNumber: 65535, category: 5,
      isPaired: paired, setupID: setupID.flatMap { SetupID($0) })
  }

  private func keys(_ record: Advertisement) -> [String: String] {
    Dictionary(record.txt.map { ($0.key, $0.value) }, uniquingKeysWith: { $0 + " and " + $1 })
  }

  @Test("[AD.1, AD.2, AD.3, AD.4, AD.8, AD.9] The record has the nine keys of Tables 6-7 and 6-8, each once")
  func whole() throws {
    #expect(
      try keys(record()) == [
        "c#": "65535", "ff": "0", "id": "E1:91:1A:70:85:AA", "md": "T-1", "pv": "1.1", "s#": "1", "sf": "1", "ci": "5",
        "sh": "yf4bzw==",
      ])
  }

  @Test("[AD.1] Without a setup ID there is no sh")
  func noSetupID() throws { #expect(try keys(record(setupID: nil))["sh"] == nil) }

  @Test("[AD.5] sf is 1 while unpaired and 0 while paired")
  func flags() throws {
    #expect(try keys(record(paired: true))["sf"] == "0")
    #expect(keys(TestHome.accessory(pairings: []).core.advertisement)["sf"] == "1")
    #expect(keys(TestHome.accessory().core.advertisement)["sf"] == "0")
  }
}
