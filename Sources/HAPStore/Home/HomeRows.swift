import HAPCrypto

/// All rows of a home store. Each list has the order in which the rows were first stored; later changes of a row keep its place.
package struct HomeRows: Equatable, Sendable {
  package var objects: [HomeObjectRow] = []
  package var triggerStates: [HomeStateRow] = []
  package var people: [HomeStateRow] = []
  /// The data that authorizes writes, by characteristic.
  package var authorizations: [HomeStateRow] = []
  /// The changes of pairings that devices do not have yet, by device and controller.
  package var owedPairings: [HomeStateRow] = []
  /// The tokens of the page, by user.
  package var pageTokens: [HomeStateRow] = []
  package var controllers: [HomeControllerRow] = []
  package var pairings: [HomePairingRow] = []
  package var databases: [HomeDatabaseRow] = []
  /// The rows that could not be read. They are in none of the lists above, and stay in the file until a row with their ID is stored.
  package var damaged: [DamagedHomeRow] = []

  package init() {}
}

/// One object: a home, or something in a home. The store does not interpret `json`.
package struct HomeObjectRow: Equatable, Sendable {
  /// Unique in a store.
  package var id: String
  /// The ID of the home. For a home, this is its own ID.
  package var home: String
  /// The kind of object, such as "room".
  package var kind: String
  package var name: String
  package var json: String

  package init(id: String, home: String, kind: String, name: String, json: String) {
    self.id = id
    self.home = home
    self.kind = kind
    self.name = name
    self.json = json
  }
}

/// The state of a trigger, the presence of a person, and others. The store does not interpret `json`.
package struct HomeStateRow: Equatable, Sendable {
  /// The ID of the trigger, the user or another object. It is unique in its table.
  package var id: String
  package var json: String

  package init(id: String, json: String) {
    self.id = id
    self.json = json
  }
}

/// An identity that accessories know as a controller: the owner's, or that of a person.
package struct HomeControllerRow: Sendable {
  /// The ID of the user. It is unique in its table.
  package var id: String
  /// The pairing identifier that accessories store.
  package var identifier: [UInt8]
  package var key: Key

  package enum Key: Sendable {
    /// The key of this hub's user.
    case own(SigningKey)
    /// The public key of a person with another hub: 32 bytes.
    case foreign([UInt8])
  }

  package init(id: String, identifier: [UInt8], key: Key) {
    self.id = id
    self.identifier = identifier
    self.key = key
  }

  /// 32 bytes.
  package var publicKey: [UInt8] {
    switch key {
    case .own(let key): key.publicKey
    case .foreign(let bytes): bytes
    }
  }
}

extension HomeControllerRow: Equatable {
  package static func == (a: Self, b: Self) -> Bool {
    guard a.id == b.id, a.identifier == b.identifier else { return false }
    switch (a.key, b.key) {
    case (.own(let a), .own(let b)): return a.seed == b.seed
    case (.foreign(let a), .foreign(let b)): return a == b
    case (.own, .foreign), (.foreign, .own): return false
    }
  }
}

/// The pairing of the hub with one accessory or bridge.
package struct HomePairingRow: Equatable, Sendable {
  /// The device ID as text. It is unique in its table.
  package var device: String
  /// The identifier that the accessory sent in M6. It should be the device ID as text.
  package var accessoryID: [UInt8]
  /// The accessory's long-term public key: 32 bytes.
  package var accessoryKey: [UInt8]
  /// The ID of the controller that made the pairing.
  package var controller: String
  /// Its last known addresses: "192.0.2.7:51826", "[fe80::1%eth0]:51826". An address contains no newline.
  package var addresses: [String]

  package init(
    device: String, accessoryID: [UInt8], accessoryKey: [UInt8], controller: String, addresses: [String]
  ) {
    self.device = device
    self.accessoryID = accessoryID
    self.accessoryKey = accessoryKey
    self.controller = controller
    self.addresses = addresses
  }
}

/// The attribute database of one accessory or bridge, as it was read last.
package struct HomeDatabaseRow: Equatable, Sendable {
  /// The device ID as text. It is unique in its table.
  package var device: String
  /// The `c#` that was advertised when the database was read.
  package var configurationNumber: UInt32
  /// The body of `GET /accessories`.
  package var body: [UInt8]

  package init(device: String, configurationNumber: UInt32, body: [UInt8]) {
    self.device = device
    self.configurationNumber = configurationNumber
    self.body = body
  }
}

/// A row that could not be read.
package struct DamagedHomeRow: Equatable, Sendable {
  package var table: String
  /// The ID of the row, at most 200 characters. Invalid UTF-8 is replaced.
  package var id: String
  /// A text for the user.
  package var reason: String
}
