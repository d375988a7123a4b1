import Foundation
import HAPCrypto
import Testing

@testable import HAPStore

@Suite("A killed hub")
struct HomeKilledTests {
  /// The child process commits command after command, and writes the number of each acknowledged one to a pipe. The
  /// parent kills it after some of them, at whatever point the child is then.
  @Test("After kill -9, the store has all acknowledged commands, and at most one more", arguments: 1...5)
  func killed(round: Int) async throws {
    let temporary = TemporaryFolder()
    let pipe = temporary.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let acknowledged = Task.detached { try Self.killAfter(round * 37, in: pipe) }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [folder = temporary.state as String, pipe = pipe as String] in
      let output = open(pipe, O_WRONLY)
      Self.write(Int(getpid()), to: output)
      let store = try HomeStore(folder: folder)
      for number in 1...1_000_000 {
        try store.commit(Self.command(number))
        Self.write(number, to: output)
      }
    }
    close(open(pipe, O_WRONLY | O_NONBLOCK))  // ends the wait for a child that did not open the pipe
    let last = try await acknowledged.value
    #expect(last >= round * 37)
    let rows = try HomeStore(folder: temporary.state).load()
    #expect(rows == Self.rows(after: last) || rows == Self.rows(after: last + 1), "\(last) were acknowledged")
  }

  /// Each command changes several tables, and replaces or removes rows of earlier commands.
  private static func command(_ number: Int) -> [HomeRowChange] {
    let body = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number * 613 % 20_000)
    return [
      .keep(.object(.test(number % 50, name: "\(number)"))), .remove(.objects, id: "id-\(number * 7 % 50)"),
      .keep(.database(.init(device: "d\(number % 3)", configurationNumber: UInt32(number), body: body))),
      .keep(.triggerState(.init(id: "t", json: "\(number)"))),
    ]
  }

  private static func rows(after count: Int) -> HomeRows {
    (1...count).reduce(HomeRows()) { $0.after(command($1)) }
  }

  private static func write(_ number: Int, to output: Int32) {
    let line = Array("\(number)\n".utf8)
    precondition(Foundation.write(output, line, line.count) == line.count, "the parent does not read")
  }

  /// Reads the child's process ID and the numbers of its commands. Kills it after `count` of them.
  /// - Returns: the last number before the end of the pipe.
  private static func killAfter(_ count: Int, in pipe: String) throws -> Int {
    var process: Int32?
    var last = 0
    var isKilled = false
    let input = try #require(fopen(pipe, "r"))
    defer { fclose(input) }
    var buffer = [CChar](repeating: 0, count: 64)
    while fgets(&buffer, 64, input) != nil {
      let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let number = try #require(Int(line.dropLast()))
      guard let process else {
        process = Int32(number)
        continue
      }
      last = number
      if last >= count, !isKilled {
        kill(process, SIGKILL)
        isKilled = true
      }
    }
    return last
  }
}
