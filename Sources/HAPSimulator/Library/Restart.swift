import HAPModel

/// How a running accessory is restarted.
///
/// It is a name of this module, too, so that `import HAPSimulator` is enough.
public typealias Restart = HAPModel.Restart
