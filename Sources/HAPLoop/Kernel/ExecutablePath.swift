import CUV

/// Returns the path of the running program, without symbolic links; nil if the system does not report it.
package func executablePath() -> String? {
  // The limit for paths is 1024 bytes on macOS, and 4096 on Linux.
  var room = [CChar](repeating: 0, count: 4097)
  var count = room.count
  guard uv_exepath(&room, &count) == 0 else { return nil }
  return String(decoding: room[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
