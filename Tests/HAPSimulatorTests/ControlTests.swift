import Foundation
import HAPLoop
import HAPWire
import Synchronization
import Testing
@testable import HAPCommands
@testable import HAPHost

@Suite("Commands of one sender") struct CommandQueueTests {
  @Test("Commands run one after another, even after a slow one") func order() async throws {
    let served = try await ServedSimulation([ProfileText.garage])
    let answers: [String] = await withCheckedContinuation { continuation in
      served.loop.schedule {
        let queue = CommandQueue(served.commands, on: served.loop, readClock: { 0 })
        let answers = OnThread<[String]>([])
        let wasBusy = OnThread(false)
        queue.onAnswer = { answers.value.append($0) }
        queue.onBusy = { wasBusy.value = true }
        for line in [
          #"{"id":1,"command":"set","characteristic":"TargetDoorState","value":"open"}"#, "", "  \r",
          #"{"id":2,"command":"reboot"}"#, #"{"id":3,"command":"advance","duration":"10s"}"#, "nonsense",
          #"{"id":5,"command":"set","characteristic":"1.1","value":1}"#, #"{"id":6,"command":"list"}"#,
        ] { queue.take(.line(Array(line.utf8))) }
        queue.take(.tooLong(limit: 9))
        #expect(!queue.isIdle && wasBusy.value && answers.value.count == 1)
        queue.onIdle = { continuation.resume(returning: answers.value) }
      }
    }
    let read = try answers.map { try JSONNode.parse(Array($0.utf8)) }
    #expect(read.map { $0["id"]?.integerValue } == [1, 2, 3, nil, 5, 6, nil])
    #expect(read.map { $0["ok"]?.boolValue } == [true, true, true, false, false, true, false])
    #expect(read[5]["time"]?["now"]?.numberValue?.double == 10)
    #expect(read[6]["error"]?["message"]?.stringValue == "a line of more than 9 bytes was ignored")
    try await served.stop()
  }

  @Test("A queue on hold waits, and a closed one runs no further command") func held() async throws {
    let served = try await ServedSimulation([ProfileText.garage])
    let counts: [Int] = try await served.onLoop {
      let queue = CommandQueue(served.commands, on: served.loop, readClock: { 0 })
      let count = OnThread(0)
      queue.onAnswer = { _ in count.value += 1 }
      queue.isHeld = true
      for _ in 0..<3 { queue.take(.line(Array("x".utf8))) }
      var counts = [count.value]
      queue.isHeld = false
      counts.append(count.value)
      queue.isHeld = true
      queue.take(.line(Array("x".utf8)))
      queue.close()
      queue.isHeld = false
      return counts + [count.value]
    }
    #expect(counts == [0, 3, 3])
    try await served.stop()
  }

  @Test("After 8 ms of commands, other work on the loop gets a turn") func slice() async throws {
    let served = try await ServedSimulation([ProfileText.garage])
    let order: [String] = await withCheckedContinuation { continuation in
      served.loop.schedule {
        let time = OnThread<UInt64>(0)
        let queue = CommandQueue(served.commands, on: served.loop, readClock: { time.value })
        let order = OnThread<[String]>([])
        queue.onAnswer = { _ in
          order.value.append("answer")
          time.value += TurnSlice.nanoseconds / 2
        }
        queue.isHeld = true
        for _ in 0..<5 { queue.take(.line(Array("x".utf8))) }
        queue.onBusy = {
          order.value.append("wait")
          served.loop.schedule { order.value.append("other") }
        }
        queue.onIdle = { continuation.resume(returning: order.value) }
        queue.isHeld = false
      }
    }
    #expect(order == ["answer", "answer", "wait", "answer", "answer", "wait", "other", "answer"])
    try await served.stop()
  }
}

@Suite("The folder of running processes") struct ControlFolderTests {
  private func inScratch<T>(_ body: (String) throws -> T) throws -> T {
    let path = FileManager.default.temporaryDirectory.appending(path: "hc-\(UInt32.random(in: 0...UInt32.max))").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("The folder is created private, and made private again") func privacy() throws {
    try inScratch { state in
      let folder = ControlFolder(stateFolder: state, SystemSocketFiles())
      #expect(folder.sockets().isEmpty)
      try folder.prepare()
      #expect(try mode(folder.path) == 0o700)
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
      try folder.prepare()
      #expect(try mode(folder.path) == 0o700)
    }
  }

  @Test("A path other than our own folder is refused") func strangers() throws {
    try inScratch { state in
      try FileManager.default.createSymbolicLink(atPath: state + "/control", withDestinationPath: state)
      #expect(throws: LoopError.self) { try ControlFolder(stateFolder: state, SystemSocketFiles()).prepare() }
    }
    try inScratch { state in
      _ = FileManager.default.createFile(atPath: state + "/control", contents: nil)
      #expect(throws: LoopError.self) { try ControlFolder(stateFolder: state, SystemSocketFiles()).prepare() }
    }
    #expect(throws: LoopError.self) {
      try ControlFolder(stateFolder: "/no-such-folder/of-hapsim", SystemSocketFiles()).prepare()
    }
  }

  @Test("Sockets of dead processes are removed; those of live ones and other files are kept") func stale() throws {
    try inScratch { state in
      let folder = ControlFolder(stateFolder: state, SystemSocketFiles())
      try folder.prepare()
      func leave(_ name: String) throws {
        let descriptor = socket(AF_UNIX, SocketType.stream, 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("\(folder.path)/\(name)".utf8)) }
        let bound = withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
          }
        }
        #expect(bound == 0)
      }
      // No process has such a PID.
      for name in ["2147483647-1.sock", "2147483647-2.sock.new", "\(getpid())-3.sock.new", "1-4.sock"] {
        try leave(name)
      }
      for name in ["notes", "x-1.sock", "-5.sock"] {
        _ = FileManager.default.createFile(atPath: folder.path + "/" + name, contents: nil)
      }
      #expect(folder.sockets().map(\.pid) == [1, 2_147_483_647])
      try folder.prepare()
      #expect(
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
          == ["notes", "x-1.sock", "-5.sock", "\(getpid())-3.sock.new"])
      #expect(folder.newPath(at: 1) != folder.newPath(at: 2))
    }
  }
}
