@_exported import HAPHomeKit
