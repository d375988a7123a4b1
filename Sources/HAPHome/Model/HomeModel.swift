/// The homes of a controller and everything in them, as a value: without values of characteristics, reachability and
/// other state of a running hub. Readers share it as a snapshot.
///
/// `perform` changes it by a command; `apply` by the changes that a command gave elsewhere.
public struct HomeModel: Hashable, Sendable {
  /// The homes, in the order in which they were added.
  public internal(set) var homes: [Home] = []
  /// The identifier of the primary home; nil without homes.
  public internal(set) var primaryHome: HomeObjectID?

  /// Creates a model without homes.
  public init() {}

  /// Returns the home with this identifier.
  public func home(_ id: HomeObjectID) -> Home? { homes.first { $0.id == id } }
}
