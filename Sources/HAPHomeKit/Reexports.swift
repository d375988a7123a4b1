// As on Apple's systems, `import HomeKit` also gives Foundation. Here, its names come after those of this module.
@_exported import Foundation
