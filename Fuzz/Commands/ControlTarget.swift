import FuzzSupport
import HAPControl
import HAPWeb
import HAPWire

/// Parses requests of the control API one after the other. The head alone decides about access, no request from another origin is allowed,
/// and an accepted request is an operation with all parameters of its path.
package func fuzzControl(_ bytes: UnsafeRawBufferPointer) {
  let open = AccessRules(token: nil, hostName: "studio")
  let closed = AccessRules(token: "open-sesame", hostName: "studio")
  var rest = [UInt8](bytes)
  var parser = HTTPRequestParser(limits: HTTPLimits(head: 16 * 1024, headerCount: 100, body: 4 << 20))
  while true {
    let consumed = rest.withUnsafeMutableBytes { raw -> Int? in
      guard case .request(let head, let body, let consumed) = parser.parse(raw) else { return nil }
      let raw = UnsafeRawBufferPointer(raw)
      let whole = Result { () throws(WebProblem) in try WebRequest(head, body: body, in: raw) }
      let start = body.lowerBound
      let early = Result { () throws(WebProblem) in try WebRequest(head, body: start..<start, in: raw) }
      switch (whole, early) {
      case (.failure(let one), .failure(let other)):
        require(one == other, "the body changed the error of a target")
      case (.success(let whole), .success(let early)):
        judge(whole, early, open, needsToken: false)
        judge(whole, early, closed, needsToken: true)
      default: require(false, "the body changed whether a target is valid")
      }
      return consumed
    }
    guard let consumed else { return }
    rest.removeFirst(consumed)
  }
}

private func judge(_ whole: WebRequest, _ early: WebRequest, _ rules: AccessRules, needsToken: Bool) {
  func refusal(_ request: WebRequest) -> WebProblem? {
    do throws(WebProblem) { try rules.check(request) } catch { return error }
    return nil
  }
  let problem = refusal(whole)
  require(problem == refusal(early), "the body changed the access decision")
  if let problem { return require(problem.status == 401 || problem.status == 403, "\(problem)") }
  let hosts = whole.fields.filter { $0.name == "host" }.map { $0.value.lowercased() }
  require(hosts.count == 1 && isOurs(hosts[0], acceptsName: needsToken), "\(hosts) was accepted")
  if let origin = whole[field: "origin"] { require(origin.lowercased() == "http://" + hosts[0], "\(origin)") }
  if needsToken, whole.path.first == "v1" {
    require(whole[field: "authorization"]?.hasSuffix("open-sesame") == true, "a request without the token was accepted")
  }
  do throws(WebProblem) {
    let call = try ControlCall(whole)
    require(call.operation.form.method == whole.method || whole.method == "HEAD", "\(call.operation)")
    require(call.operation.form.path.split(separator: "/").count == whole.path.count, "\(call.operation)")
  } catch { require((400..<500).contains(error.status) && !error.message.isEmpty, "\(error)") }
}

/// Checks a host independently of the rules: it must be one of the allowed names, or consist only of the characters of an address.
private func isOurs(_ host: String, acceptsName: Bool) -> Bool {
  let name = host.hasPrefix("[") ? Substring(host) : host.prefix { $0 != ":" }
  let digits = host.hasPrefix("[") ? "0123456789abcdef:.[]" : "0123456789."
  let names = acceptsName ? ["localhost", "studio", "studio.local"] : ["localhost"]
  return names.contains(String(name)) || name.allSatisfy { digits.contains($0) }
}
