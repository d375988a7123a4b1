// As on Apple's systems, `import HomeKit` also gives Foundation. Here, its names come after those of this module.
@_exported import Foundation

#if canImport(CoreLocation)
  @_exported import CoreLocation
#endif
