/// The number of recent occurrences, by name.
struct Occurrences {
  private let span: Duration
  private var times: [String: [Duration]] = [:]

  /// The maximum number of names, and of occurrences of each.
  private static let most = 1000

  init(span: Duration) { self.span = span }

  mutating func add(_ name: String, at now: Duration) {
    if times[name] == nil, times.count >= Self.most { times = times.filter { now - ($0.value.last ?? now) < span } }
    guard times.count < Self.most || times[name] != nil else { return }
    times[name, default: []].append(now)
    if times[name]!.count > Self.most { times[name]!.removeFirst() }
  }

  /// Returns the number of occurrences in the last `span`.
  mutating func count(_ name: String, at now: Duration) -> Int {
    guard var list = times[name] else { return 0 }
    list.removeAll { now - $0 >= span }
    times[name] = list.isEmpty ? nil : list
    return list.count
  }

  mutating func forget(_ name: String) { times[name] = nil }
}
