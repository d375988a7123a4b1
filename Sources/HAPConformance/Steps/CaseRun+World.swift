import HAPExpectation
import HAPSuite
import HAPWire

extension CaseRun {
  /// Whether the accessory still lives: it takes a new connection, and a request on it leads to anything but silence. What it answers is
  /// for other cases to judge.
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
        "nothing is heard of the accessory by multicast DNS", accepted: ["a service _hap._tcp with its device ID"],
        got: "no record of it in three seconds")
    }
    for key in patterns {
      if let problem = try Pattern.mismatch(record[key.name], key.pattern, at: key.name) {
        throw CaseFailure(problem, accepted: [Pattern.words(key.pattern)], got: Pattern.shown(record[key.name]))
      }
    }
  }
}

extension CaseRun {
  /// Holds the claims of the user against what the accessory shows.
  func claims() throws {
    guard let claimed = world.claims else {
      throw CaseSkip(reason: "there are no claims: --claims names a file of them")
    }
    let observed = Claims.drawn(txt: device.txtDictionary, database: device.database?.node)
    let differences = claimed.differences(from: observed)
    guard let first = differences.first else { return }
    throw CaseFailure(first, accepted: ["what the claims say"], got: differences.joined(separator: "\n"))
  }
}
