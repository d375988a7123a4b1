// The part of Dispatch that hapsim uses, with Apple's declarations. For Scripts/typecheck-macos only.
@_exported import Darwin

public class DispatchObject: @unchecked Sendable {}
public final class DispatchSpecificKey<T>: @unchecked Sendable { public init() {} }
public enum DispatchTimeInterval: Sendable { case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never }
public enum DispatchTimeoutResult: Sendable { case success, timedOut }

public struct DispatchTime: Comparable, Sendable {
  public static func now() -> DispatchTime { fatalError() }
  public static var distantFuture: DispatchTime { fatalError() }
  public var uptimeNanoseconds: UInt64 { 0 }
  public static func < (a: DispatchTime, b: DispatchTime) -> Bool { false }
  public static func + (a: DispatchTime, b: Double) -> DispatchTime { a }
  public static func + (a: DispatchTime, b: DispatchTimeInterval) -> DispatchTime { a }
}

public final class DispatchSemaphore: DispatchObject, @unchecked Sendable {
  public init(value: Int) {}
  @discardableResult public func signal() -> Int { 0 }
  @available(*, noasync) public func wait() {}
  @available(*, noasync) public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
}

public final class DispatchQueue: DispatchObject, @unchecked Sendable {
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    public static let concurrent = Attributes(rawValue: 2)
  }

  public class var main: DispatchQueue { fatalError() }
  public class func global() -> DispatchQueue { fatalError() }
  public init(label: String, attributes: Attributes = []) {}
  public func async(execute work: @escaping @Sendable () -> Void) {}
  public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable () -> Void) {}
  public func sync<T>(execute work: () throws -> T) rethrows -> T { try work() }
  public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {}
  public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
  public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {}
}

public func dispatchMain() -> Never { fatalError() }
