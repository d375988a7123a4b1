import CUV

/// Returns the host name of the machine; empty if it has none.
func hostName() -> String {
  var room = [CChar](repeating: 0, count: Int(UV_MAXHOSTNAMESIZE))
  var count = room.count
  guard uv_os_gethostname(&room, &count) == 0 else { return "" }
  return String(decoding: room[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
