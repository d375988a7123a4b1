import Foundation
import Testing

@testable import HAPLoop

/// A folder for a socket, removed with its owner.
private final class Place: Sendable {
  let folder = FileManager.default.temporaryDirectory.appending(path: "hl-\(UInt32.random(in: 0...UInt32.max))").path
  var path: String { folder + "/s" }
  init() { try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: folder) }
}

@Suite struct LocalSocketTests {
  @Test("Sent bytes arrive at any reading pace, up to the end of the stream") func echo() async throws {
    let place = Place()
    let size = 4_000_000
    let received: Int = await onLoop { loop, finish in
      let kept = Box<[LocalStream]>([])
      let listener = Box<LocalListener?>(nil)
      listener.value = try? LocalListener(loop, path: place.path) { stream in
        kept.value.append(stream)
        stream.startReading { event in
          switch event {
          case .bytes(let bytes): stream.write(bytes)
          case .end: stream.closeAfterWriting()
          }
        }
      }
      Thread.detachNewThread {
        guard let socket = try? LocalSocket.connect(place.path, patience: .seconds(20)) else { return finish(-1) }
        LocalSocket.setPatience(of: socket, .seconds(20))
        Thread.detachNewThread {
          var left = size
          let chunk = [UInt8](repeating: 7, count: 100_000)
          while left > 0 {
            let count = send(socket, chunk, min(left, chunk.count), Int32(MSG_NOSIGNAL))
            if count <= 0 { break }
            left -= count
          }
          shutdown(socket, Int32(SHUT_WR))
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var total = 0
        while true {
          let count = recv(socket, &buffer, buffer.count, 0)
          if count <= 0 { break }
          total += count
        }
        close(socket)
        let all = total
        loop.schedule {
          listener.value?.close()
          finish(kept.value.allSatisfy(\.isClosed) ? all : -2)
        }
      }
    }
    #expect(received == size)
    #expect(!FileManager.default.fileExists(atPath: place.path))
  }

  @Test("Only the owner can use a socket, and its file exists only while the listener is open") func life()
    async throws
  {
    let place = Place()
    let facts: [String] = await onLoop { loop, finish in
      var facts: [String] = []
      let listener = try? LocalListener(loop, path: place.path) { $0.close() }
      let mode = (try? FileManager.default.attributesOfItem(atPath: place.path))?[.posixPermissions] as? Int
      facts.append("\(mode ?? -1) \(LocalSocket.isAlive(place.path))")
      facts.append("\((try? FileManager.default.contentsOfDirectory(atPath: place.folder)) ?? [])")
      listener?.close()
      listener?.close()
      facts.append("\(FileManager.default.fileExists(atPath: place.path))")
      finish(facts)
    }
    #expect(facts == ["384 true", #"["s"]"#, "false"])
  }

  @Test("A dead process's socket is recognized as stale, and can be replaced") func stale() async throws {
    let place = Place()
    let descriptor = try LocalSocket.make()
    #expect(LocalSocket.withAddress(place.path) { bind(descriptor, $0, $1) } == 0)
    close(descriptor)
    #expect(!LocalSocket.isAlive(place.path))
    let error = #expect(throws: LoopError.self) { try LocalSocket.connect(place.path, patience: .seconds(1)) }
    #expect(error?.code == .connectionRefused)
    let isUp: Bool = await onLoop { loop, finish in
      let listener = try? LocalListener(loop, path: place.path) { $0.close() }
      finish(listener != nil && LocalSocket.isAlive(place.path))
    }
    #expect(isUp)
  }

  @Test("A path that is too long, or has no folder, is refused with the reason", arguments: [200, 20]) func badPaths(
    _ length: Int
  ) async {
    let path = "/no-such-folder/of-hapsim/" + String(repeating: "x", count: length)
    let message: String? = await onLoop { loop, finish in
      do throws(LoopError) {
        _ = try LocalListener(loop, path: path) { $0.close() }
        finish(nil)
      } catch { finish(error.detail) }
    }
    #expect(message?.contains(length == 200 ? "name too long" : "no such file") == true, "\(message ?? "")")
  }

  @Test("A listener on hold accepts no connection, and accepts all waiting ones afterwards") func held() async {
    let place = Place()
    let counts: [Int] = await onLoop { loop, finish in
      let count = Box(0)
      let listener = Box<LocalListener?>(nil)
      let before = Box(-1)
      listener.value = try? LocalListener(loop, path: place.path) { stream in
        count.value += 1
        stream.close()
        if count.value == 3 { finish([before.value, count.value]) }
      }
      listener.value?.isHeld = true
      for _ in 0..<3 { #expect(LocalSocket.isAlive(place.path)) }
      // A later connection, to another listener, is accepted before them.
      let other = Box<LocalListener?>(nil)
      other.value = try? LocalListener(loop, path: place.path + "2") { stream in
        stream.close()
        other.value?.close()
        before.value = count.value
        listener.value?.isHeld = false
      }
      #expect(LocalSocket.isAlive(place.path + "2"))
    }
    #expect(counts == [0, 3])
  }

  @Test("A loop that stops releases open streams and listeners whose callbacks refer to them") func stoppedLoop()
    async
  {
    let place = Place()
    let opened = Box(Weak<LocalStream>(nil))
    let listener = Box(Weak<LocalListener>(nil))
    let count: Int = await onLoop { loop, finish in
      let kept = Box<LocalListener?>(nil)
      kept.value = try? LocalListener(loop, path: place.path) { _ in kept.value?.isHeld = true }
      listener.value = Weak(kept.value)
      let stream = try? LocalStream(loop, connectingTo: place.path)
      stream?.startReading { _ in stream?.close() }
      stream?.onDrained = { stream?.pauseReading() }
      opened.value = Weak(stream)
      finish([listener.value.object != nil, stream != nil].count { $0 })
    }
    #expect(count == 2)
    #expect(listener.value.object == nil && opened.value.object == nil)
  }
}

@Suite struct HeldLineReaderTests {
  @Test("A reader on hold stops reading until it is released") func held() async throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (input, output) = (ends[0], ends[1])
    let lines: [String] = await onLoop { loop, finish in
      let seen = Box<[String]>([])
      let reader = Box<LineReader?>(nil)
      reader.value = try? LineReader(loop, descriptor: input) { event in
        guard case .line(let line) = event else { return }
        seen.value.append(String(decoding: line, as: UTF8.self))
        if seen.value.count == 2 {
          // The second chunk is available but not read.
          reader.value?.isHeld = true
          _ = write(output, "c\n", 2)
          LoopTimer(loop) {
            seen.value.append("held")
            reader.value?.isHeld = false
          }.start(after: .milliseconds(20))
        }
        if line == Array("c".utf8) { finish(seen.value) }
      }
      _ = write(output, "a\nb\n", 4)
    }
    close(output)
    close(input)
    #expect(lines == ["a", "b", "held", "c"])
  }
}
