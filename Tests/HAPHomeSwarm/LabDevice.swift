import HAPLoop
import HAPModel
import HAPSimulatorCore
import HAPWorld

/// One `PUT /characteristics` that an accessory received, with its writes that were carried out.
package struct LabPut: Sendable {
  package let time: Duration
  package internal(set) var entries: [Entry] = []

  package struct Entry: Sendable {
    package let id: AttributeID
    package let value: Value
  }
}

/// A machine that serves one accessory or bridge with hapsim. Confined to the world's thread.
package final class LabDevice: @unchecked Sendable {  // see above
  package let number: Int
  package let name: String
  /// The profile that is served.
  package private(set) var profile: String
  package let machine: WorldMachine
  package private(set) var served: ServedAccessory?
  /// All PUTs so far, in order.
  package private(set) var puts: [LabPut] = []
  /// The number of starts of its process.
  package private(set) var starts = 0
  /// The number of services or accessories that were added to the profile.
  var growth = 0
  /// The start of its process.
  private var startTime = Duration.zero
  private var port: UInt16 = 0
  private var impostor: LoopBound<TCPListener?>?
  private unowned let lab: HomeLab

  init(_ number: Int, _ name: String, _ profile: String, in lab: HomeLab) {
    (self.number, self.name, self.profile, self.lab) = (number, name, profile, lab)
    machine = WorldMachine(
      name, in: lab.world, link: lab.link, address: Self.address(number, 0),
      seed: lab.world.seed &+ UInt64(number) &+ 1)
    machine.onAccessoriesDied = { [weak self] in
      self?.collect()
      self?.served = nil
    }
  }

  private static func address(_ number: Int, _ generation: Int) -> IPAddress {
    IPAddress(bytes: [10, 0, UInt8(generation % 200), UInt8(1 + number)])!
  }

  package var isUp: Bool { served != nil }
  /// The device ID; while hapsim does not run, as it was before. A factory reset changes it.
  package var deviceID: DeviceID? {
    if let served { lastDeviceID = DeviceID(served.card.withLock { $0.deviceID }) }
    return lastDeviceID
  }
  private var lastDeviceID: DeviceID?

  /// Whether it has a pairing.
  var isPaired: Bool { !pairings.isEmpty }

  var pairings: [Pairing] {
    guard let served, case .success(let pairings)? = try? served.loop.performAndWait({ served.pairings }) else {
      return []
    }
    return pairings
  }

  // MARK: Life

  /// Starts hapsim.
  /// - Parameter port: 0: the one before, or any.
  package func start(port: UInt16 = 0) async {
    guard served == nil else { return }
    machine.restorePower()
    starts += 1
    startTime = lab.now
    let (profile, name) = (profile, name)
    let port = port == 0 ? self.port : port
    do throws(SimulationFailure) {
      let core = try machine.accessories(seed: lab.world.seed, tellsRequests: true)
      let result = await lab.limited(.seconds(30)) {
        do throws(SimulationFailure) {
          return Result<ServedAccessory, SimulationFailure>.success(
            try await core.loop.answer { done in
              core.start(
                .json(Array(profile.utf8), fileName: name), name: nil, setupCode: nil, port: port, done: done)
            })
        } catch { return .failure(error) }
      }
      served = try result?.get()
      if let served { self.port = served.card.withLock { $0.port } }
    } catch { lab.note("\(name) does not start: \(error)") }
  }

  package func kill() {
    machine.kill()
    impostor = nil
  }

  package func losePower() {
    machine.losePower()
    impostor = nil
  }

  /// Changes the address of its host.
  package func move() { machine.setAddress(Self.address(number, starts)) }

  /// Replaces hapsim by a program at the same port that answers each connection with another protocol.
  package func serveGarbage() throws {
    kill()
    let loop = try machine.runningAppLoop()
    let listener = LoopBound<TCPListener?>(loop, nil)
    let port = port
    try loop.performAndWait {
      listener.value = try TCPListener(loop, host: .anyV4, port: port) { stream in
        stream.write(Array("220 ready\r\n\r\n".utf8))
        stream.onClosed = {}
      }
    }
    impostor = listener
  }

  // MARK: Actions of a person

  /// Carries out a command of hapsim.
  /// - Returns: whether it succeeded; nil: there is no answer.
  @discardableResult
  package func perform(_ command: String) async -> Bool? {
    guard let served else { return nil }
    let result = await lab.limited(.seconds(30)) {
      do throws(SimulationFailure) {
        return try await served.loop.answer { done in served.perform(json: command, done: done) }
      } catch { return "\(error)" }
    }
    lab.note("\(name): \(command): \(result ?? "no answer")")
    return result.map { $0.contains("\"ok\":true") || $0.contains("\"ok\": true") }
  }

  /// Switches a fault on: "latency:by=1s".
  @discardableResult
  package func switchOn(_ fault: String) async -> Bool? {
    await perform("{\"command\": \"fault\", \"fault\": \"\(fault)\"}")
  }

  @discardableResult
  package func switchOff(_ fault: String) async -> Bool? {
    await perform("{\"command\": \"fault\", \"fault\": \"\(fault)\", \"value\": false}")
  }

  package func setMotion(_ isDetected: Bool) async {
    await perform("{\"command\": \"set\", \"characteristic\": \"MotionDetected\", \"value\": \(isDetected)}")
  }

  /// Serves another profile.
  package func replace(_ profile: String) async -> Bool {
    guard let served else { return false }
    let name = name
    let result = await lab.limited(.seconds(30)) {
      do throws(SimulationFailure) {
        _ = try await served.loop.answer { done in
          served.replace(by: .json(Array(profile.utf8), fileName: name), done: done)
        }
        return true
      } catch { return false }
    }
    // The next start reads the changed file.
    self.profile = profile
    return result == true
  }

  // MARK: What it received

  /// Takes the events of the accessory since the last call.
  package func collect() {
    guard let served else { return }
    for event in served.record.history {
      let time = startTime + event.uptime
      switch event.name {
      case "requested" where event.text.contains("PUT /characteristics"): puts.append(LabPut(time: time))
      case "wrote":
        guard let value = event.value, !puts.isEmpty else { continue }
        puts[puts.count - 1].entries.append(LabPut.Entry(id: value.characteristic.id, value: value.value))
      default: continue
      }
    }
    served.record.forget()
  }

  /// The times at which a value was written.
  package func writes(of id: AttributeID, _ value: Value) -> [Duration] {
    collect()
    return puts.flatMap { put in put.entries.filter { $0.id == id && $0.value == value }.map { _ in put.time } }
  }
}
