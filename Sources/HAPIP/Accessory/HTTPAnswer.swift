import HAPModel

/// The answer to a complete request: an HTTP status and optionally a HAP status as its body, or no answer at all.
///
/// The connection may be closed after it. As text: `470 -70411`, `404`, `400 close`, `none`, `none close`.
public struct HTTPAnswer: Hashable, Sendable {
  /// 200…599; nil: no answer.
  public var http: Int?
  /// The HAP status of the body `{"status":…}`; nil: no body.
  public var status: HAPStatus?
  /// Whether the connection is closed afterwards.
  public var closes: Bool

  /// - Parameter http: 200…599; nil: no answer.
  public init(_ http: Int?, _ status: HAPStatus? = nil, closes: Bool = false) {
    self.http = http
    self.status = status
    self.closes = closes
  }

  /// - Returns: nil if the text does not have the form of `text`.
  public init?(_ text: String) {
    var words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard let first = words.first else { return nil }
    var answer = HTTPAnswer(nil)
    words.removeFirst()
    if first != "none" {
      guard let http = Int(first), (200...599).contains(http), first.utf8.count == 3 else { return nil }
      answer.http = http
      if let word = words.first, let status = Int32(word).flatMap(HAPStatus.init), status != .success {
        answer.status = status
        words.removeFirst()
      }
    }
    if words.first == "close" {
      answer.closes = true
      words.removeFirst()
    }
    guard words.isEmpty else { return nil }
    self = answer
  }

  /// The form in profiles.
  public var text: String {
    (http.map { "\($0)" } ?? "none") + (status.map { " \($0.rawValue)" } ?? "") + (closes ? " close" : "")
  }
}
