import HAPAlmanac
import HAPHome
import HAPHomeEngine

/// A place of a person in a swarm.
enum HubSpot: CaseIterable {
  /// At home, reported without a position.
  case home
  /// 50 m from the home.
  case door
  case office
  /// Outside of all regions.
  case street
  /// Not at home, reported without a position.
  case away

  /// A region that contains the office and no other place.
  static let officeRegion = Region(centre: officePosition, radius: 500)!
  /// A region that contains the home and the door.
  static let homeRegion = Region(centre: HubPopulation.place, radius: 1000)!
  private static let officePosition = Coordinate(latitude: 52.4, longitude: 13.2)!

  var place: PersonState.Place {
    switch self {
    case .home: .home
    case .door: .position(Coordinate(latitude: 52.52045, longitude: 13.41)!)
    case .office: .position(Self.officePosition)
    case .street: .position(Coordinate(latitude: 52.46, longitude: 13.3)!)
    case .away: .away
    }
  }

  var isHome: Bool { self == .home || self == .door }

  /// Whether the place is in a region.
  func isIn(_ region: Region) -> Bool { region == Self.officeRegion ? self == .office : isHome }
}
