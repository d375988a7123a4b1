import Foundation

// Safe: it has no state, and the subclass has constants alone.
/// What a user may do. HMAccessControl
public class HMAccessControl: NSObject, @unchecked Sendable {}

// Safe: its only property is a constant.
/// What a user may do with a home. HMHomeAccessControl
public final class HMHomeAccessControl: HMAccessControl, @unchecked Sendable {
  /// Whether the user may edit the home. A user who is no administrator controls it.
  public let isAdministrator: Bool

  init(isAdministrator: Bool) { self.isAdministrator = isAdministrator }
}
