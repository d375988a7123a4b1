import HAPModel
import MatterModel

/// A false answer to reads of the attributes that are computed of characteristics of a type.
package struct FalseRead: Hashable, Sendable {
  let type: TypeID
  /// A number, whatever the type of the attribute is.
  let answer: Result<UInt64, InteractionStatus>

  package init(_ type: TypeID, value: UInt64) { (self.type, answer) = (type, .success(value)) }

  /// - Parameter status: success is a Failure.
  package init(_ type: TypeID, status: HAPStatus) {
    self.type = type
    answer = .failure(InteractionStatus(refusal: status) ?? InteractionStatus(.failure))
  }
}
