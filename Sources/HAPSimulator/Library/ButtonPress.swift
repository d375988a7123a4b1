import HAPModel

/// How a button is pressed. A name of this module, so that `import HAPSimulator` is enough.
public typealias ButtonPress = HAPModel.ButtonPress
