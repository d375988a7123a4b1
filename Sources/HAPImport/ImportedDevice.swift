import HAPProfile

/// A device that was found in a file, and what had to be put up with to read it.
package struct ImportedDevice: Sendable {
  /// What the file calls it: its device ID or alias; nil where the file is of one device and doesn't say.
  package var name: String?
  package var copy: DeviceCopy
  /// What is off in the file, and how it was read all the same; with places.
  package var remarks: [String]
  /// What was left out or not understood, which is to be expected.
  package var notes: [String] = []
}
