import Foundation
import HAPHome
import HAPHubLink
import HAPModel
import Testing

@testable import HAPHomeKit

/// Payloads, requests and results of adding an accessory, which need no hub.
@Suite("Setup payloads and requests") struct SetupPayloadTests {
  private let url = URL(string: "X-HM://0071WK4SM7OSX")!

  @Test("The URL of a QR code is a payload")
  func payload() throws {
    let payload = try #require(HMAccessorySetupPayload(url: url))
    #expect(payload.content.uri == "X-HM://0071WK4SM7OSX" && payload.content.setupID?.text == "7OSX")
    #expect(payload.ownershipToken == nil && payload.problem == nil)
  }

  @Test(
    "Another URL is no payload",
    arguments: [
      "https://example.com", "X-HM://", "X-HM://0071WK4SM7OS", "X-HM://0071WK4SM7OSXX", "x-hm://0071WK4SM7OSX",
      "X-HM://ZZZZZZZZZ7OSX", "MT:Y.K9042C00KA0648G00",
    ])
  func otherURLs(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(HMAccessorySetupPayload(url: url) == nil)
    #expect(HMAccessorySetupPayload(url: url, ownershipToken: nil) == nil)
  }

  @Test("No URL is no payload") func noURL() { #expect(HMAccessorySetupPayload(url: nil) == nil) }

  @Test("A payload with an ownership token is refused with 48")
  func tokens() throws {
    #expect(HMAccessoryOwnershipToken(data: Data()) == nil)
    let token = try #require(HMAccessoryOwnershipToken(data: Data([1, 2])))
    let payload = try #require(HMAccessorySetupPayload(url: url, ownershipToken: token))
    #expect(payload.problem?.code == .operationNotSupported)
  }

  @Test("A payload belongs to the accessory with its setup hash; without a hash, to those of its category")
  func detection() throws {
    let payload = try #require(HMAccessorySetupPayload(url: url)).content
    func news(_ number: UInt8, _ category: UInt8?, _ hash: [UInt8]?) -> NewAccessory {
      NewAccessory(
        device: DeviceDescription.device(number), name: "Lamp", model: nil, category: category, setupHash: hash)
    }
    #expect(payload.canBelong(to: news(1, 2, ScriptedHub.hash)), "the category is not compared")
    #expect(!payload.canBelong(to: news(2, payload.category, ScriptedHub.hash)), "the device ID is part of the hash")
    #expect(payload.canBelong(to: news(1, payload.category, nil)))
    #expect(payload.canBelong(to: news(1, nil, nil)))
    #expect(!payload.canBelong(to: news(1, payload.category + 1, nil)))
  }

  // MARK: Requests

  @Test("A copy of a request has the same answers, and changes on its own")
  func copies() throws {
    let (request, home, room) = (HMAccessorySetupRequest(), UUID(), UUID())
    #expect(request.payload == nil && request.homeUniqueIdentifier == nil && request.suggestedAccessoryName == nil)
    request.payload = HMAccessorySetupPayload(url: url)
    (request.homeUniqueIdentifier, request.suggestedRoomUniqueIdentifier) = (home, room)
    request.suggestedAccessoryName = "Lamp"
    let copy = try #require(request.copy() as? HMAccessorySetupRequest)
    #expect(copy !== request && copy.payload === request.payload)
    #expect(copy.homeUniqueIdentifier == home && copy.suggestedRoomUniqueIdentifier == room)
    (copy.suggestedAccessoryName, copy.payload) = ("Fan", nil)
    #expect(request.suggestedAccessoryName == "Lamp" && request.payload != nil)
    request.homeUniqueIdentifier = nil
    #expect(copy.homeUniqueIdentifier == home)
  }

  @Test("A copy of a result is the result")
  func result() {
    let result = HMAccessorySetupResult(home: UUID(), accessories: [UUID(), UUID()])
    #expect(result.copy() as? HMAccessorySetupResult === result)
  }

  @Test("The identifier of an accessory on the network follows from its device ID")
  func identifiers() {
    let (one, two) = (UUID(of: DeviceDescription.device(1)), UUID(of: DeviceDescription.device(2)))
    #expect(one.uuidString == "AABBCC00-0001-8000-8000-000000000000" && one != two)
  }
}
