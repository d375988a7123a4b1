/// Writes a transcript as packets in plain text. Messages appear as they were before sealing, so any tool can show the HTTP.
///
/// Each connection is a synthetic TCP stream. It opens and closes where the transcript says so, or opens before its first message.
/// Entries without bytes become comments on the next packet.
package enum PcapngWriter {
  /// - Parameter epoch: the start of the run, since 1970.
  package static func bytes(of transcript: [TranscriptEntry], application: String, epoch: Duration = .zero) -> [UInt8] {
    var writer = StreamWriter(file: PcapngFile(application: application), epoch: epoch)
    for entry in transcript { writer.append(entry) }
    return writer.finished()
  }
}

private struct StreamWriter {
  private var file: PcapngFile
  private let epoch: Duration
  private var streams: [String: Stream] = [:]
  /// Comments for the next packet.
  private var comments: [String] = []
  private var made: UInt16 = 0
  private var lastTime = Duration.zero

  private struct Stream {
    var local: HostAndPort
    var peer: HostAndPort
    /// The sequence number of the next byte, for each end.
    var sent: UInt32 = 1000
    var received: UInt32 = 5000
    var isOpen = false
  }

  private static let segmentLimit = 1440

  init(file: PcapngFile, epoch: Duration) {
    self.file = file
    self.epoch = epoch
  }

  mutating func finished() -> [UInt8] {
    if !comments.isEmpty { file.append(comments: comments, time: lastTime) }
    return file.bytes
  }

  mutating func append(_ entry: TranscriptEntry) {
    lastTime = epoch + entry.time
    let name = entry.connection.isEmpty ? entry.title : "\(entry.connection): \(entry.title)"
    switch entry.kind {
    case .hook, .note: comments.append("\(entry.kind.rawValue): \(name)")
    case .mdns:
      comments.append(name)
      appendDatagram(entry)
    case .connection:
      comments.append(name)
      turn(entry)
    case .message, .raw:
      comments.append(name)
      guard !entry.bytes.isEmpty, entry.direction != .none else { return }
      appendData(entry)
    }
  }

  private mutating func packet(_ packet: [UInt8], isSent: Bool) {
    file.append(packet: packet, time: lastTime, direction: isSent ? .outbound : .inbound, comments: comments)
    comments = []
  }

  // MARK: TCP

  /// Returns the stream of the entry's connection. Addresses that a transcript lacks are synthetic.
  private mutating func stream(of entry: TranscriptEntry) -> (key: String, stream: Stream) {
    let key = "\(entry.connection)|\(entry.localAddress)|\(entry.peerAddress)"
    if let stream = streams[key] { return (key, stream) }
    var local = HostAndPort(entry.localAddress)
    var peer = HostAndPort(entry.peerAddress)
    if let one = local, let other = peer, one.isIPv6 != other.isIPv6 { (local, peer) = (nil, nil) }
    if local == nil || peer == nil { made &+= 1 }
    let isIPv6 = (local ?? peer)?.isIPv6 == true
    let stream = Stream(
      local: local ?? HostAndPort(address: Self.madeUp(1, isIPv6), port: 40_000 &+ made % 20_000),
      peer: peer ?? HostAndPort(address: Self.madeUp(2, isIPv6), port: 80))
    streams[key] = stream
    return (key, stream)
  }

  /// Returns an address from the networks reserved for documentation. RFC 5737, RFC 3849.
  private static func madeUp(_ number: UInt8, _ isIPv6: Bool) -> [UInt8] {
    isIPv6 ? [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [number] : [192, 0, 2, number]
  }

  private mutating func segment(
    _ stream: inout Stream, isSent: Bool, _ flags: NetworkPacket.TCPFlags, _ payload: some Collection<UInt8> = []
  ) {
    let isFirst = flags.contains(.syn) && !flags.contains(.ack)
    packet(
      NetworkPacket.tcp(
        from: isSent ? stream.local : stream.peer, to: isSent ? stream.peer : stream.local,
        sequence: isSent ? stream.sent : stream.received,
        acknowledgement: isFirst ? 0 : isSent ? stream.received : stream.sent, flags: flags, payload: payload),
      isSent: isSent)
    let counted = UInt32(payload.count) + (flags.isDisjoint(with: [.syn, .fin]) ? 0 : 1)
    if isSent { stream.sent &+= counted } else { stream.received &+= counted }
  }

  private mutating func open(_ stream: inout Stream) {
    segment(&stream, isSent: true, .syn)
    segment(&stream, isSent: false, [.syn, .ack])
    segment(&stream, isSent: true, .ack)
    stream.isOpen = true
  }

  /// Opens the connection at its first entry, and closes it at the next one.
  private mutating func turn(_ entry: TranscriptEntry) {
    var (key, stream) = stream(of: entry)
    if !stream.isOpen {
      open(&stream)
    } else {
      let isSent = entry.direction != .received
      if entry.title.lowercasedASCII.contains("reset") {
        segment(&stream, isSent: isSent, [.rst, .ack])
      } else {
        segment(&stream, isSent: isSent, [.fin, .ack])
        segment(&stream, isSent: !isSent, entry.direction == .none ? [.fin, .ack] : .ack)
        if entry.direction == .none { segment(&stream, isSent: isSent, .ack) }
      }
      stream.isOpen = false
    }
    streams[key] = stream
  }

  private mutating func appendData(_ entry: TranscriptEntry) {
    var (key, stream) = stream(of: entry)
    if !stream.isOpen {
      let waiting = comments
      comments = []
      open(&stream)
      comments = waiting
    }
    for start in stride(from: 0, to: entry.bytes.count, by: Self.segmentLimit) {
      let end = min(start + Self.segmentLimit, entry.bytes.count)
      let flags: NetworkPacket.TCPFlags = end == entry.bytes.count ? [.psh, .ack] : .ack
      segment(&stream, isSent: entry.direction == .sent, flags, entry.bytes[start..<end])
    }
    streams[key] = stream
  }

  // MARK: UDP

  private mutating func appendDatagram(_ entry: TranscriptEntry) {
    let isSent = entry.direction == .sent
    let source = specified(isSent ? entry.localAddress : entry.peerAddress)
    var destination = specified(isSent ? entry.peerAddress : entry.localAddress)
    if let source, source.isIPv6 != destination?.isIPv6 { destination = nil }
    let isIPv6 = (source ?? destination)?.isIPv6 == true
    let group = isIPv6 ? [0xFF, 0x02] + Array(repeating: 0, count: 13) + [0xFB] : [224, 0, 0, 251] as [UInt8]
    packet(
      NetworkPacket.udp(
        from: source ?? HostAndPort(address: Self.madeUp(isSent ? 1 : 2, isIPv6), port: 5353),
        to: destination ?? HostAndPort(address: group, port: 5353), payload: entry.bytes.prefix(60_000)),
      isSent: isSent)
  }

  /// Returns `nil` also for the unspecified address, because no packet has it as its source.
  private func specified(_ text: String) -> HostAndPort? {
    HostAndPort(text).flatMap { address in address.address.allSatisfy { $0 == 0 } ? nil : address }
  }
}

extension String {
  fileprivate var lowercasedASCII: String {
    String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
