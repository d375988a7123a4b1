import HAPModel

/// How a button is pressed: the values of Programmable Switch Event. HAP R2 §9.75.
///
/// It is a name of this module, too, so that `import HAPSimulator` is enough.
public typealias ButtonPress = HAPModel.ButtonPress
