// As on Apple's systems, `import HomeKit` also gives these modules. Here, their names come after those of this one.
@_exported import Foundation
#if canImport(CoreLocation)
  @_exported import CoreLocation
#endif
