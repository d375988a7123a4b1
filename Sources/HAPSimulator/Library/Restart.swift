import HAPModel

/// The way in which a running accessory is restarted.
///
/// The alias makes `import HAPSimulator` sufficient.
public typealias Restart = HAPModel.Restart
