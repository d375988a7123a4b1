extension TypeID {
  /// The category of an accessory whose main service is of this type; nil for services that aren't anybody's main one.
  package var usualCategory: Category? {
    switch appleShort {
    case 0x40, 0xB7: .fan
    case 0x41: .garageDoorOpener
    case 0x43: .lightbulb
    case 0x45, 0x260, 0x266: .doorLock
    case 0x47: .outlet
    case 0x49: .switch
    case 0x4A: .thermostat
    case 0x7E: .securitySystem
    case 0x7F, 0x80, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x8A, 0x8D, 0x97: .sensor
    case 0x81: .door
    case 0x88, 0x89: .programmableSwitch
    case 0x8B: .window
    case 0x8C, 0xB9: .windowCovering
    case 0xBB: .airPurifier
    case 0xBC: .airHeater
    case 0xBD: .airHumidifier
    case 0xCF, 0xD0: .sprinkler
    case 0xD7: .faucet
    case 0xD8: .television
    case 0x110, 0x204, 0x21A: .ipCamera
    case 0x121: .videoDoorbell
    case 0x113, 0x228: .speaker
    case 0x122, 0x125: .targetController
    case 0x20A: .wiFiRouter
    default: nil
    }
  }
}
