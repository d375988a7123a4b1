import Testing

@testable import HapctlHome
