/// How a request as a whole is answered where stacks differ: an HTTP status, perhaps a HAP status as its body, perhaps the end of the connection.
///
/// As text: `470 -70411`, `404`, `400 close`.
public struct HTTPAnswer: Hashable, Sendable {
  /// 200…599.
  public var http: Int
  /// `{"status":…}` as the body; nil: no body.
  public var status: HAPStatus?
  /// Whether the connection is closed behind it.
  public var closes: Bool

  /// - Parameter http: 200…599.
  public init(_ http: Int, _ status: HAPStatus? = nil, closes: Bool = false) {
    self.http = http
    self.status = status
    self.closes = closes
  }

  /// - Returns: nil for anything but the form that `text` has.
  public init?(_ text: String) {
    var words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard let first = words.first, let http = Int(first), (200...599).contains(http), first.utf8.count == 3 else {
      return nil
    }
    words.removeFirst()
    var answer = HTTPAnswer(http)
    if let word = words.first, let status = Int32(word).flatMap(HAPStatus.init), status != .success {
      answer.status = status
      words.removeFirst()
    }
    if words.first == "close" {
      answer.closes = true
      words.removeFirst()
    }
    guard words.isEmpty else { return nil }
    self = answer
  }

  /// The form in which profiles have it.
  public var text: String { "\(http)" + (status.map { " \($0.rawValue)" } ?? "") + (closes ? " close" : "") }
}
