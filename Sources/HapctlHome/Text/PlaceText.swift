import HAPHome
import HAPHomeEngine
import HAPWire

extension PersonState.Place {
  /// "at home", "away" or the position.
  var text: String {
    switch self {
    case .home: "at home"
    case .away: "away"
    case .position(let place): "at \(place.latitude), \(place.longitude)"
    }
  }

  /// "home", "away" or `[LAT, LON]`.
  var shortNode: JSONNode {
    switch self {
    case .home: .text("home")
    case .away: .text("away")
    case .position(let place): place.node
    }
  }
}
