#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Access to files and the end of the process without Foundation, which would make the tool slower to build.
enum System {
  static func bytes(of file: String) throws(EmbedError) -> [UInt8] {
    let descriptor = open(file, O_RDONLY)
    guard descriptor >= 0 else {
      throw EmbedError(
        "can't open the file \(file): \(reason()); make it readable, or take it from the repository again")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count >= 0 else {
        throw EmbedError("can't read the file \(file): \(reason()); make it a plain file that can be read")
      }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Writes a file, unless it already has these bytes, so that an unchanged file is not compiled again.
  static func write(_ bytes: [UInt8], to file: String) throws(EmbedError) {
    if access(file, F_OK) == 0, try System.bytes(of: file) == bytes { return }
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard descriptor >= 0 else {
      throw EmbedError("can't write the file \(file): \(reason()); make its folder writable")
    }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { platformWrite(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        throw EmbedError("can't write the file \(file): \(reason()); make room on the disk, and build again")
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Prints a text to standard error and ends with exit status 1.
  static func fail(_ text: String) -> Never {
    let bytes = Array(text.utf8)
    _ = platformWrite(2, bytes, bytes.count)
    exit(1)
  }

  private static func reason() -> String { String(cString: strerror(errno)) }

  private static func platformWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
      Darwin.write(descriptor, bytes, count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes, count)
    #else
      Glibc.write(descriptor, bytes, count)
    #endif
  }
}
