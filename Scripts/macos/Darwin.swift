// What Apple's Swift module `Darwin` adds to the C library: macros that Swift can't import, and forms of functions with variable arguments. For
// Scripts/typecheck-macos only: the bodies are never run.
@_exported import Darwin

public var errno: Int32 {
  get { __error().pointee }
  set { __error().pointee = newValue }
}

public var stdin: UnsafeMutablePointer<FILE> { never() }
public var stdout: UnsafeMutablePointer<FILE> { never() }
public var stderr: UnsafeMutablePointer<FILE> { never() }
public var environ: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { never() }

public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { never() }
public func open(_ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { never() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32) -> Int32 { never() }
public func openat(_ fd: Int32, _ path: UnsafePointer<CChar>, _ oflag: Int32, _ mode: mode_t) -> Int32 { never() }
public func fcntl(_ fd: Int32, _ cmd: Int32) -> Int32 { never() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ value: Int32) -> Int32 { never() }
public func fcntl(_ fd: Int32, _ cmd: Int32, _ ptr: UnsafeMutableRawPointer) -> Int32 { never() }
public func ioctl(_ fd: CInt, _ request: UInt, _ value: CInt) -> CInt { never() }
public func ioctl(_ fd: CInt, _ request: UInt, _ ptr: UnsafeMutableRawPointer) -> CInt { never() }
public func ioctl(_ fd: CInt, _ request: UInt) -> CInt { never() }

public var S_IFMT: mode_t { 0o170000 }
public var S_IFIFO: mode_t { 0o010000 }
public var S_IFCHR: mode_t { 0o020000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFBLK: mode_t { 0o060000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }
public var TIOCGWINSZ: UInt { 0x4008_7468 }

public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { never() }
public var SIG_ERR: sig_t { never() }
public var MAP_FAILED: UnsafeMutableRawPointer! { nil }

public func ceil<T: FloatingPoint>(_ x: T) -> T { never() }
public func floor<T: FloatingPoint>(_ x: T) -> T { never() }
public func round<T: FloatingPoint>(_ x: T) -> T { never() }
public func sqrt<T: FloatingPoint>(_ x: T) -> T { never() }
public func trunc<T: FloatingPoint>(_ x: T) -> T { never() }

@available(*, unavailable, message: "Use a child process.") public func fork() -> Int32 { never() }

private func never() -> Never { fatalError("only declarations are checked") }
