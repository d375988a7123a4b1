import HAPPreparation
import Foundation
import HAPConformance
import HAPDiscovery
import HAPHost
import HAPLoop
import HAPModel
import HAPProfile
import HAPReport
import HAPStore
import HAPSuite
import HAPTransport
import HAPWorld
import Testing

/// An accessory of hapsim on one host, and haptest on another.
private final class Laboratory: @unchecked Sendable {  // confined to the world's thread
  let hosts: TwoHosts
  private var simulation: Simulation?
  private var responder: EmbeddedResponder?

  init(seed: UInt64) throws { hosts = try TwoHosts(seed: seed) }

  /// Serves and announces a shipped profile.
  /// - Returns: the port.
  private func serve(_ profile: String, code: String) throws -> UInt16 {
    let path = URL(filePath: #filePath).appending(path: "../../../../Profiles/\(profile).hasaccessory").standardized
    let json = try Data(contentsOf: path)
    let prepared = try PreparedAccessory(
      AccessoryProfile(json: Array(json), fileName: profile), in: .ephemeral(),
      choices: .init(setupCode: SetupCode(code)), random: .seeded(1))
    return try hosts.far.performAndWait { [self] in
      let responder = try EmbeddedResponder(hosts.far)
      self.responder = responder
      let setting = Simulation.Setting(
        folder: .ephemeral(), places: [ListeningPlace(.anyV4)], seed: 7,
        makeAdvertiser: { responder.makeAdvertiser() })
      let clock = SimulationClock(.running(scale: 1), on: hosts.far)
      let simulation = Simulation(setting, in: clock, on: hosts.far)
      self.simulation = simulation
      let accessory = try simulation.serve(prepared, port: 51826)
      return accessory.assumeIsolated { _ in 51826 }
    }
  }

  /// Runs the selected cases of the embedded suites against a shipped profile.
  func test(_ profile: String, code: String, _ isSelected: @escaping @Sendable (CaseDefinition) -> Bool) throws
    -> [CaseOutcome]
  {
    let address = SocketAddress(host: TwoHosts.farAddress, port: try serve(profile, code: code))
    var session = ConformanceSession(
      target: .address(address), suites: SuiteLibrary.embedded.suites,
      header: RunHeader(version: "test", target: profile, seed: 0), isSelected: isSelected)
    session.code = code
    let near = hosts.near
    let given = session
    let result = try hosts.world.run { try await given.run(on: near) { _ in } }
    try hosts.far.performAndWait { [self] in
      simulation?.stop()
      responder?.close()
    }
    simulation = nil
    responder = nil
    return result.outcomes
  }
}

@Suite("haptest against hapsim in a simulated world") struct WorldConformanceTests {
  @Test("A light bulb passes the cases of reading and Pair Verify, and two runs of one seed are equal")
  func lightbulb() throws {
    var hashes: [UInt64] = []
    for _ in 0..<2 {
      let laboratory = try Laboratory(seed: 3)
      let outcomes = try laboratory.test("light-white", code: "031-45-154") {
        ["read", "pair-verify", "discovery"].contains($0.area)
      }
      let bad = outcomes.filter { ![.pass, .info, .skip, .nonStrict].contains($0.verdict) }
      #expect(bad.isEmpty, "\(bad.map { "\($0.description.id): \($0.message)" })")
      #expect(outcomes.filter { $0.verdict == .pass }.count > 20)
      #expect(laboratory.hosts.world.foreignJobCount == 0)
      hashes.append(laboratory.hosts.world.trace.hash)
      laboratory.hosts.world.end()
    }
    #expect(hashes[0] == hashes[1])
  }
}
