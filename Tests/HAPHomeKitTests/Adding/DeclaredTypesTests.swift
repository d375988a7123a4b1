import Foundation
import HAPHome
import HAPHubLink
import HAPLoop
import HAPModel
import Testing

@testable import HAPHomeKit

/// Types that are declared, and answer with the error 48.
@Suite("Cameras, profiles and Matter") @MainActor struct DeclaredTypesTests {
  private final class Watcher: NSObject, HMCameraStreamControlDelegate, HMCameraSnapshotControlDelegate {
    var errors: [HMError.Code?] = []
    func cameraStreamControl(_ control: HMCameraStreamControl, didStopStreamWithError error: (any Error)?) {
      errors.append((error as? HMError)?.code)
    }
    func cameraSnapshotControl(
      _ control: HMCameraSnapshotControl, didTake snapshot: HMCameraSnapshot?, error: (any Error)?
    ) { errors.append((error as? HMError)?.code) }
  }

  private let accessory = HMAccessory(
    FoundAccessory(
      NewAccessory(
        device: DeviceDescription.device(1), name: "Camera", model: nil, category: 17, setupHash: nil), nil))

  private func code(of body: () async throws -> Void) async -> HMError.Code? {
    do { try await body() } catch { return (error as? HMError)?.code }
    return nil
  }

  @Test("A camera starts no stream and takes no picture")
  func cameras() async throws {
    let profile = HMCameraProfile(accessory, [])
    let stream = try #require(profile.streamControl)
    let snapshot = try #require(profile.snapshotControl)
    let watcher = Watcher()
    (stream.delegate, snapshot.delegate) = (watcher, watcher)
    stream.startStream()
    stream.stopStream()
    snapshot.takeSnapshot()
    while watcher.errors.count < 2 { await Task.yield() }
    #expect(watcher.errors == [.operationNotSupported, .operationNotSupported])
    #expect(stream.streamState == .notStreaming && stream.cameraStream == nil && snapshot.mostRecentSnapshot == nil)
    #expect(profile.accessory === accessory && profile.settingsControl?.nightVision == nil)
    #expect(profile.speakerControl == nil && profile.microphoneControl == nil)
    let video = HMCameraStream(aspectRatio: 1.5)
    #expect(await code { try await video.updateAudioStreamSetting(.muted) } == .operationNotSupported)
    #expect(video.audioStreamSetting == .muted && video.aspectRatio == 1.5)
  }

  @Test("Other profiles have no function")
  func profiles() async {
    #expect(!HMNetworkConfigurationProfile(accessory, []).isNetworkAccessRestricted)
    let order = HMMediaSourceDisplayOrderProfile(accessory, [])
    #expect(!order.canModifyOrder && order.order.isEmpty)
    #expect(await code { try await order.writeOrder([1]) } == .operationNotSupported)
  }

  @Test("No accessory of a manufacturer's app is found")
  func vendors() async {
    let manager = HMHomeManager(ScriptedHub())
    #expect(await code { _ = try await manager.findVendorAccessory(hapPublicKey: Data()) } == .operationNotSupported)
  }

  // MARK: Matter

  @Test("Homes, rooms and topologies are copied and archived")
  func matterValues() throws {
    let home = HMMatterHome(uuid: UUID(), name: "My Home")
    let room = HMMatterRoom(uuid: UUID(), name: "Hall")
    let topology = HMMatterTopology(homes: [home, HMMatterHome(uuid: UUID(), name: "Other")])
    #expect(home.copy() as? HMMatterHome == home && home != HMMatterHome(uuid: home.uuid, name: "Other"))
    func archived<T: NSObject & NSSecureCoding>(_ object: T) throws -> T? {
      let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
      return try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)
    }
    #expect(try archived(home) == home && archived(room) == room && archived(topology) == topology)
  }

  @Test("Requests of Matter are refused")
  func matterRequests() async {
    let (handler, manager) = (HMMatterRequestHandler(), HMAccessorySetupManager(ScriptedHub()))
    let home = HMMatterHome(uuid: UUID(), name: "My Home")
    let room = HMMatterRoom(uuid: UUID(), name: "Hall")
    #expect(await code { _ = try await handler.rooms(in: home) } == .operationNotSupported)
    #expect(
      await code { try await handler.pairAccessory(in: home, onboardingPayload: "MT:") } == .operationNotSupported)
    #expect(await code { try await handler.configureAccessory(named: "A", room: room) } == .operationNotSupported)
    let request = HMAccessorySetupRequest()
    #expect(
      await code {
        try await manager.performMatterEcosystemAccessorySetup(using: request, topology: HMMatterTopology(homes: []))
      } == .operationNotSupported)
  }
}
