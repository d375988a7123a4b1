import HAPLoop
import HAPWorld
import Testing

@Suite("Killed processes in a simulated world") struct WorldKillTests {
  /// The way in which a process ends.
  enum Death: CaseIterable { case kill, powerOff, shutDown }

  private static func end(_ process: SimulatedProcess, by death: Death) {
    switch death {
    case .kill: process.kill()
    case .powerOff: process.host.powerOff()
    case .shutDown: process.host.shutDown()
    }
  }

  @Test(
    "All waits on the loop of a killed process end with an error, and the loop ends", arguments: Death.allCases
  )
  func waits(_ death: Death) throws {
    let hosts = try TwoHosts()
    let outcomes: [String] = try hosts.world.run {
      let log = Log()
      let far = hosts.far
      far.schedule {
        _ = try? TCPListener(far, host: .anyV4, port: 7) { _ in log.add("accepted") }
        // No host answers there, so the connection attempt lasts for minutes.
        let nobody = SocketAddress(host: IPAddress(bytes: [10, 0, 0, 9])!, port: 7)
        _ = TCPStream(far, connectingTo: nobody) { log.add("connect \($0?.code == .cancelled)") }
        LoopTimer(far) { log.add("fired") }.start(after: .milliseconds(1))
        far.offload {
          1
        } then: { _ in
          log.add("offloaded")
        }
      }
      far.startTask {
        do { try await far.sleep(for: .seconds(60)) } catch {
          log.add("sleep \((error as? LoopError)?.code == .cancelled)")
        }
      }
      far.whenEnded { log.add("ended") }
      try await hosts.near.sleep(for: .microseconds(1))
      let process = hosts.farProcess
      Self.end(process, by: death)
      try await hosts.near.sleep(for: .seconds(60))
      return log.entries.sorted() + ["\(far.openHandleCount)", "\(far.schedule {})", "\(process.descriptorCount)"]
    }
    #expect(outcomes == ["connect true", "ended", "offloaded", "sleep true", "0", "false", "0"])
    #expect(hosts.world.foreignJobCount == 0)
    hosts.world.end()
  }

  @Test("A process that is killed in its own turn sends nothing more, and its timers don't fire") func inATurn() throws
  {
    let hosts = try TwoHosts()
    let entries: [String] = try hosts.world.run {
      let log = Log()
      let (near, far) = (hosts.near, hosts.far)
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        near.schedule {
          do {
            _ = try UDPSocket(near, host: .anyV4, port: 9) { log.add("datagram \(Array($0.bytes))") }
            _ = try TCPListener(near, host: .anyV4, port: 7) { log.read($0, as: "far") }
            continuation.resume()
          } catch { continuation.resume(throwing: error) }
        }
      }
      far.schedule {
        var stream: TCPStream?
        stream = TCPStream(far, connectingTo: SocketAddress(host: TwoHosts.nearAddress, port: 7)) { _ in
          let socket = try? UDPSocket(far, host: .anyV4, port: 8) { _ in }
          let target = SocketAddress(host: TwoHosts.nearAddress, port: 9)
          stream?.write([1])
          try? socket?.send([1], to: target)
          hosts.farProcess.kill()
          stream?.write([2])
          try? socket?.send([2], to: target)
          LoopTimer(far) { log.add("fired") }.start(after: .zero)
          _ = TCPStream(far, connectingTo: SocketAddress(host: TwoHosts.nearAddress, port: 7)) {
            log.add("connect \($0 != nil)")
          }
          nonisolated(unsafe) let late = socket
          far.schedule { try? late?.send([3], to: target) }
        }
      }
      try await near.sleep(for: .seconds(10))
      return log.entries
    }
    // The kernel delivers the bytes that were written before.
    #expect(entries.sorted() == ["connect true", "datagram [1]", "far [1]", "far end"])
    hosts.world.end()
  }

  @Test("Jobs that schedule themselves again don't prevent the end of a dead process's loop") func endlessJobs() throws
  {
    let hosts = try TwoHosts()
    let hasEnded: Bool = try hosts.world.run {
      let log = Log()
      let far = hosts.far
      @Sendable func again() { far.schedule { again() } }
      hosts.farProcess.kill()
      again()
      far.whenEnded { log.add("ended") }
      try await hosts.near.sleep(for: .seconds(1))
      return log.entries == ["ended"]
    }
    #expect(hasEnded)
    hosts.world.end()
  }

  @Test("A frozen process can be killed, and another process of the host can start after that") func frozen() throws {
    let hosts = try TwoHosts()
    let entries: [String] = try hosts.world.run {
      let log = Log()
      let (far, process) = (hosts.far, hosts.farProcess)
      process.freeze()
      far.schedule { log.add("ran after its death") }
      process.kill()
      let again = hosts.world.makeLoop("again", of: try #require(process.host.startProcess("again")))
      again.schedule { log.add("again") }
      try await again.sleep(for: .seconds(1))
      return log.entries
    }
    // As on any loop that ends, queued jobs still run, without an effect on the world.
    #expect(entries.sorted() == ["again", "ran after its death"])
    hosts.world.end()
  }
}

extension Log {
  fileprivate func read(_ stream: TCPStream, as name: String) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
    stream.startReading(onAllocate: { _ in memory }) { [self] event in
      switch event {
      case .bytes(let count): add("\(name) \(Array(memory[..<count]))")
      case .end, .failed:
        add("\(name) end")
        stream.close()
        memory.deallocate()
      }
    }
  }
}
