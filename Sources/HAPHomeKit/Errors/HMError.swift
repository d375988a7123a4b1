import Foundation
import HAPHome

/// An error of HomeKit, with Apple's number. `localizedDescription` says what failed, on which object, and what to do.
///
/// `catch HMError.notFound` and `(error as NSError).code` work as on Apple's systems.
public struct HMError: CustomNSError, LocalizedError, CustomStringConvertible, Hashable, Sendable {
  private let content: ErrorContent

  /// The number.
  public var code: Code { content.code }

  /// Creates an error for a test, or for a mock of an app.
  ///
  /// `userInfo` has the message with the key `NSLocalizedDescriptionKey`, and other properties.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    let message = userInfo[NSLocalizedDescriptionKey] as? String ?? "HomeKit error \(code.rawValue)"
    content = ErrorContent(code, message, userInfo)
  }

  /// Reads an error of HomeKit that an app has as an `NSError`.
  public init(_nsError error: NSError) {
    self.init(Code(rawValue: error.code) ?? .unexpectedError, userInfo: error.userInfo)
  }

  init(_ code: Code, _ message: String) { content = ErrorContent(code, message, [:]) }

  /// The error of a hub.
  init(_ error: HomeError) { self.init(Code(rawValue: error.code.rawValue) ?? .unexpectedError, "\(error)") }

  /// "HMErrorDomain"
  public static var errorDomain: String { HMErrorDomain }
  /// The number, for `NSError`.
  public var errorCode: Int { code.rawValue }
  /// The message with the key `NSLocalizedDescriptionKey`, and what the app gave.
  public var errorUserInfo: [String: Any] {
    content.userInfo.merging([NSLocalizedDescriptionKey: content.message]) { $1 }
  }
  /// The same as `errorUserInfo`.
  public var userInfo: [String: Any] { errorUserInfo }
  /// The message.
  public var errorDescription: String? { content.message }

  /// As Foundation prints an `NSError`: "Error Domain=HMErrorDomain Code=12 "…"".
  public var description: String { "Error Domain=\(HMErrorDomain) Code=\(code.rawValue) \"\(content.message)\"" }

  /// Compares the numbers; the messages may differ.
  public static func == (left: HMError, right: HMError) -> Bool { left.code == right.code }
  /// Hashes the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension HMError.Code {
  /// Matches an error with this number: `catch HMError.notFound`.
  public static func ~= (code: HMError.Code, error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == HMErrorDomain && error.code == code.rawValue
  }
}

/// The completion handler of a method without a result. HMErrorBlock
public typealias HMErrorBlock = ((any Error)?) -> Void

// Safe: its properties are constants, and only the app gets what it gave.
/// The content of an error.
private final class ErrorContent: @unchecked Sendable {
  let code: HMError.Code
  let message: String
  /// What the app gave.
  let userInfo: [String: Any]

  init(_ code: HMError.Code, _ message: String, _ userInfo: [String: Any]) {
    (self.code, self.message, self.userInfo) = (code, message, userInfo)
  }
}
