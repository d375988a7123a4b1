/// An app whose screens are values. Its present screen follows from its state.
@MainActor public protocol TextApp: AnyObject {
  /// The present screen.
  var screen: Screen { get }
}
