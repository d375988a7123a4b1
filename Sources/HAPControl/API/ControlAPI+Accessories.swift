import HAPDevices
import HAPHost
import HAPModel
import HAPProfile
import HAPWeb
import HAPWire

extension ControlAPI {
  func index() async -> WebAnswer {
    var count = 0
    for part in parts { count += await part.look { $0.simulation.accessories.count } }
    return .json { json in
      json.object { json in
        json.key("name")
        json.string("hapsim")
        json.key("api")
        json.string("v1")
        json.key("description")
        json.string("/v1/openapi.json")
        json.key("accessories")
        json.integer(count)
        json.key("run")
        json.string(journal.run)
        json.key("lastEvent")
        json.integer(journal.lastNumber)
      }
    }
  }

  func listAccessories(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let types = try Self.types(call.list("types"))
    var summaries: [(number: Int, json: [UInt8])] = []
    for part in parts {
      summaries += await part.look { part in
        part.simulation.accessories.map { accessory in
          (
            accessory.number,
            accessory.assumeIsolated { accessory in
              accessory.json { accessory, json in accessory.writeSummary(to: &json, including: types) }
            }
          )
        }
      }
    }
    summaries.sort { $0.number < $1.number }
    return .json { json in
      json.object { json in
        json.key("accessories")
        json.array { json in for summary in summaries { json.written(summary.json) } }
      }
    }
  }

  /// Parses comma-separated characteristic types in the form of `type`: "25,8".
  private static func types(_ words: [String]) throws(WebProblem) -> Set<TypeID> {
    guard words.count <= 64 else {
      throw WebProblem(400, "bad-query", "\"types\" has \(words.count) types; at most 64 are allowed")
    }
    var types: Set<TypeID> = []
    for word in words {
      guard let type = TypeID(word) else {
        throw WebProblem(
          400, "bad-query", "\"\(word.prefix(50))\" in \"types\" is not a type; write 1 to 8 hex digits or a UUID")
      }
      types.insert(type)
    }
    return types
  }

  func showAccessory(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    try await show(accessory(call)) { accessory, json in accessory.writeDetail(to: &json) }
  }

  /// Serves the profile in the body as a new accessory.
  func addAccessory(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let profile = try await readProfile(call.bytes, fileName: bodyFileName)
    let added = await add(profile)
    let accessory: SimulatedAccessory
    do throws(CommandError) { accessory = try added.get() } catch { throw WebProblem(error) }
    var answer = await show(accessory, status: 201) { accessory, json in accessory.writeDetail(to: &json) }
    answer.fields.append(HTTPField("Location", "/v1/accessories/\(accessory.number)"))
    return answer
  }

  func changeAccessory(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let (radio, announced) = try call.reading { (node) throws(JSONProblem) -> (Bool?, Bool?) in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["radio", "announced"])
      return (
        try node["radio"].map { node throws(JSONProblem) in try node.asBool() },
        try node["announced"].map { node throws(JSONProblem) in try node.asBool() }
      )
    }
    let accessory = try await accessory(call)
    if let radio { try await perform(.radio(radio), at: accessory) }
    if let announced { try await perform(.announce(announced), at: accessory) }
    return await show(accessory) { accessory, json in accessory.writeSummary(to: &json) }
  }

  func removeAccessory(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    try await perform(.remove, at: accessory(call))
    return .done
  }

  func restartAccessory(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let restart = try call.reading { (node) throws(JSONProblem) -> Restart in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["kind"])
      return try node.required("kind").choice(of: Restart.allCases, named: \.rawValue)
    }
    let accessory = try await accessory(call)
    try await perform(.restart(restart), at: accessory)
    return await show(accessory) { accessory, json in accessory.writeSummary(to: &json) }
  }

  func identify(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    var aid: UInt64?
    if call.body != nil {
      aid = try call.reading { (node) throws(JSONProblem) in
        _ = try node.asObject()
        try node.refuseUnknownMembers(exactly: ["aid"])
        return try node["aid"]?.asAid()
      }
    }
    try await perform(.identify, at: accessory(call), aid: aid)
    return .done
  }

  /// Makes a bridged accessory unreachable, or reachable again.
  func changeBridged(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let isOnline = try call.reading { (node) throws(JSONProblem) -> Bool in
      _ = try node.asObject()
      try node.refuseUnknownMembers(exactly: ["online"])
      return try node.required("online").asBool()
    }
    let aid = try Self.number(call.parameter("aid"), "an aid")
    try await perform(.reachable(isOnline), at: accessory(call), aid: aid)
    return .done
  }

  // MARK: Profile, setup code and quirks

  func showProfile(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let (name, text) = try await accessory(call).look { ($0.name, $0.profileText) }
    var answer = WebAnswer(200, contentType: "application/json", body: text)
    let safe = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "-" })
    answer.fields.append(HTTPField("Content-Disposition", "attachment; filename=\"\(safe).hasaccessory\""))
    return answer
  }

  func replaceProfile(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    let accessory = try await accessory(call)
    // The profile's behaviours refer to files in the folder of the profile that the accessory was started from.
    let profile = try await readProfile(call.bytes, fileName: await accessory.profileFileName)
    let result = await withCheckedContinuation { continuation in
      loop.startTask { await accessory.replace({ profile }) { continuation.resume(returning: $0) } }
    }
    let number: UInt16
    do throws(CommandError) { number = try result.get() } catch { throw WebProblem(error) }
    return .json { json in
      json.object { json in
        json.key("configurationNumber")
        json.integer(number)
      }
    }
  }

  func showSetupImage(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    .image(ofPayload: try await accessory(call).look { $0.prepared.setupPayload.uri })
  }

  /// Restarts the accessory with other quirks.
  func setQuirks(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    var problems: [ProfileProblem] = []
    let quirks = try call.reading { (node) throws(JSONProblem) in
      if node.members != nil { try node.refuseUnknownMembers(exactly: ["preset"] + QuirksField.all.map(\.name)) }
      return Quirks(node, problems: &problems)
    }
    guard problems.isEmpty else {
      var problem = WebProblem(ProfileErrors(fileName: "", problems: problems))
      problem.code = "invalid-quirks"
      throw problem
    }
    let accessory = try await accessory(call)
    try await perform(.quirks(quirks), at: accessory)
    return await show(accessory) { accessory, json in accessory.writeQuirks(to: &json) }
  }

  func showQuirks(_ call: ControlCall) async throws(WebProblem) -> WebAnswer {
    try await show(accessory(call)) { accessory, json in accessory.writeQuirks(to: &json) }
  }

  func show(
    _ accessory: SimulatedAccessory, status: Int = 200,
    _ write: @escaping @Sendable (isolated SimulatedAccessory, inout JSONWriter) -> Void
  ) async -> WebAnswer {
    WebAnswer(status, contentType: "application/json", body: await accessory.json(write))
  }

  static func number(_ text: String, _ what: String) throws(WebProblem) -> UInt64 {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text), number > 0 else {
      throw WebProblem(404, "no-such-path", "\"\(text.prefix(50))\" is not \(what)")
    }
    return number
  }

  // MARK: Profiles

  /// Reads a profile off the loop.
  private func readProfile(_ bytes: [UInt8], fileName: String) async throws(WebProblem) -> AccessoryProfile {
    try await offLoop { () throws(WebProblem) in
      do throws(ProfileErrors) {
        let profile = try AccessoryProfile(json: bytes, fileName: fileName)
        let problems = profile.problems + profile.behaviourProblems
        guard !problems.contains(where: { $0.severity == .error }) else {
          throw ProfileErrors(fileName: fileName, problems: problems)
        }
        return profile
      } catch { throw WebProblem(error) }
    }
  }
}

/// A name in a folder that does not exist, so that the behaviours of a profile in a body can't refer to files of this
/// machine.
private let bodyFileName = "/dev/null/body"

extension SimulatedAccessory {
  func json(_ write: @Sendable (isolated SimulatedAccessory, inout JSONWriter) -> Void) -> [UInt8] {
    JSONWriter.bytes { write(self, &$0) }
  }
}

extension JSONNode {
  func asAid() throws(JSONProblem) -> UInt64 { UInt64(try asInteger(in: 1...Int128(UInt64.max))) }

  /// Returns the value with the node's name.
  func choice<T>(of values: [T], named name: (T) -> String) throws(JSONProblem) -> T {
    let words = values.map(name)
    let word = try asString()
    guard let found = words.firstIndex(of: word) else {
      let meant = nearestName(to: word, in: words).map { ": did you mean \"\($0)\"?" } ?? ""
      throw problem("\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "") is expected\(meant)")
    }
    return values[found]
  }
}

extension WebAnswer {
  /// The QR code of a setup payload.
  static func image(ofPayload payload: String) -> WebAnswer {
    guard let code = QRCode(payload) else { preconditionFailure("a setup payload fits into a QR code") }
    return WebAnswer(200, contentType: "image/svg+xml", body: Array(code.svg.utf8))
  }
}

extension QRCode {
  /// Black on white with the quiet zone, one unit per module.
  var svg: String {
    let side = size + 8
    var path = ""
    for row in 0..<size {
      for column in 0..<size where self[column, row] { path += "M\(column + 4) \(row + 4)h1v1h-1z" }
    }
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\" shape-rendering=\"crispEdges\">"
      + "<rect width=\"\(side)\" height=\"\(side)\" fill=\"#fff\"/><path d=\"\(path)\" fill=\"#000\"/></svg>"
  }
}
