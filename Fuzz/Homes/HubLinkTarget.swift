import FuzzSupport
import HAPHome
import HAPHubLink
import HAPLoop

/// Reads the lines of a hub's socket, from both sides. A line that was read can be written, and reading it again gives the
/// same one. A replica takes each answer and each event.
package func fuzzHubLink(_ bytes: UnsafeRawBufferPointer) {
  var splitter = LineSplitter(limit: HubProtocol.longestRequest)
  var lines = splitter.receive(bytes)
  if let last = splitter.finish() { lines.append(last) }
  let replica = HomeReplica()
  for case .line(let line) in lines {
    checkRequest(line)
    checkMessage(line, replica)
  }
}

private func checkRequest(_ line: [UInt8]) {
  do throws(HubRequestLine.Refusal) {
    let request = try HubRequestLine(line)
    let bytes = request.bytes
    require(bytes.last == 0x0A && bytes.count { $0 == 0x0A } == 1, "a written request is not one line")
    do throws(HubRequestLine.Refusal) {
      let again = try HubRequestLine(Array(bytes.dropLast()))
      require(again == request && again.bytes == bytes, "a written request is read as another one")
    } catch { require(false, "a written request is refused: \(error.error)") }
  } catch { require(error.error.code == .invalidParameter && !error.error.message.isEmpty) }
}

private func checkMessage(_ line: [UInt8], _ replica: HomeReplica) {
  do throws(HomeError) {
    let message = try HubMessage(line)
    let bytes = message.bytes
    require(bytes.last == 0x0A && bytes.count { $0 == 0x0A } == 1, "a written line is not one line")
    do throws(HomeError) {
      let again = try HubMessage(Array(bytes.dropLast()))
      require(again == message && again.bytes == bytes, "a written line is read as another one")
    } catch { require(false, "a written line is refused: \(error)") }
    switch message {
    case .answer(_, .success(let answer)): replica.receive(answer)
    case .event(let event): replica.receive(event)
    case .hello, .answer(_, .failure): return
    }
  } catch { require(error.code == .invalidParameter && !error.message.isEmpty) }
  let persons = replica.snapshot?.persons ?? []
  require(zip(persons, persons.dropFirst()).allSatisfy { $0.user < $1.user }, "the users are not in order")
}
