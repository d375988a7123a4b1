import HAPModel

/// A way to press a button: the values of Programmable Switch Event. HAP R2 §9.75.
///
/// The alias makes `import HAPSimulator` sufficient.
public typealias ButtonPress = HAPModel.ButtonPress
