import HAPExpectation
import HAPSuite
import HAPWire

extension CaseRun {
  /// Checks that the accessory still runs: it accepts a new connection, and a request on it leads to an answer or a closed connection.
  /// Other cases check the contents of the answer.
  func alive() async throws {
    let name = "alive"
    if let former = connections.removeValue(forKey: name) { formerConnections.append(former) }
    let connection = try await connection(name)
    do { _ = try await request("GET", "/accessories", on: connection, name) } catch let failure as CaseFailure {
      if failure.isSilence { throw failure }
    }
    connection.close(.fin)
    connections[name] = nil
  }

  func txt(_ patterns: [NamedPattern]) throws {
    guard let record = device.txtVariable else {
      guard definition.needs.silenceCounts, world.isSilent else {
        throw CaseSkip(reason: "the TXT record is not known")
      }
      throw CaseFailure(
        "no multicast DNS record of the accessory was received", accepted: ["a service _hap._tcp with its device ID"],
        got: "no record within 3 s")
    }
    for key in patterns {
      if let problem = try Pattern.mismatch(record[key.name], key.pattern, at: key.name) {
        throw CaseFailure(problem, accepted: [Pattern.words(key.pattern)], got: Pattern.shown(record[key.name]))
      }
    }
  }
}

extension CaseRun {
  /// Compares the user's claims with the accessory's record and database.
  func claims() throws {
    guard let claimed = world.claims else {
      throw CaseSkip(reason: "there are no claims; use --claims")
    }
    let observed = Claims.drawn(txt: device.txtDictionary, database: device.database?.node)
    let differences = claimed.differences(from: observed)
    guard let first = differences.first else { return }
    throw CaseFailure(first, accepted: ["the claims"], got: differences.joined(separator: "\n"))
  }
}
