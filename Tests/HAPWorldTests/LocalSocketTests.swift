import HAPLoop
import Testing

@testable import HAPWorld

@Suite("Local sockets of a simulated host") struct LocalSocketTests {
  func listen(_ process: SimulatedProcess, _ path: String, backlog: Int = 8) throws -> Accepted {
    let accepted = Accepted()
    accepted.listener = try process.listenLocally(path, backlog: backlog) { listener in
      while let connection = try? listener.accept() { accepted.ends.append(End(connection)) }
    }
    return accepted
  }

  @Test("bytes are transferred both ways, and each side has the other's PID") func connect() throws {
    let net = TestNetwork()
    let accepted = try listen(net.server, "/run/x")
    let caller = try #require(net.b.startProcess("caller", uid: 7))
    let own = End(try caller.connectLocally("/run/x"))
    try own.write("question")
    net.run(1)
    let other = try #require(accepted.ends.first)
    #expect(own.events == [.connected] && other.text == "question")
    #expect(other.connection.peerProcess?.pid == caller.pid && other.connection.peerProcess?.uid == 7)
    #expect(own.connection.peerProcess === net.server)
    try other.write("answer")
    other.connection.close()
    net.run(1)
    #expect(own.text == "answer" && own.events == [.connected, .end])
    own.connection.close()
    net.run(1)
    #expect(net.b.connections.isEmpty && net.agenda.count == 0)
  }

  @Test("hosts have separate paths, and a connection to an ended listener is refused") func refusing() throws {
    let net = TestNetwork()
    _ = try listen(net.server, "/run/x")
    #expect(code { _ = try net.client.connectLocally("/run/x") } == .other(-2))
    let caller = try #require(net.b.startProcess("caller"))
    net.server.kill()
    #expect(code { _ = try caller.connectLocally("/run/x") } == .connectionRefused)
    #expect(net.b.localPlace("/run/x") == .dead)
    net.b.removeLocalPath("/run/x")
    #expect(net.b.localPlace("/run/x") == .nothing)
    for path in ["", "a\0b", String(repeating: "a", count: 104)] {
      #expect(code { _ = try listen(caller, path) } == .other(-36))
    }
  }

  @Test("a new listener replaces the old one at its path; the old one keeps its connections") func replacing() throws {
    let net = TestNetwork()
    let first = try listen(net.server, "/run/x")
    let early = End(try net.server.connectLocally("/run/x"))
    net.run(1)
    let second = try listen(net.server, "/run/x", backlog: 0)
    first.listener.close()
    #expect(net.b.localPlace("/run/x") == .listening)
    _ = End(try net.server.connectLocally("/run/x"))
    #expect(code { _ = try net.server.connectLocally("/run/x") } == .other(-11))
    net.run(1)
    #expect(first.ends.count == 1 && second.ends.count == 1)
    try early.write("still here")
    net.run(1)
    #expect(first.ends[0].text == "still here")
    net.b.powerOff()
    net.b.start()
    #expect(net.b.localPlace("/run/x") == .dead)
  }
}
