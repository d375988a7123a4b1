import HAPProfile

/// A device found in a file, with the tolerated deviations of the file.
package struct ImportedDevice: Sendable {
  /// The device ID or alias in the file; nil if the file describes one device without a name.
  package var name: String?
  package var copy: DeviceCopy
  /// The deviations in the file and how each one was read, with places.
  package var remarks: [String]
  /// Expected gaps: parts that were left out or not understood.
  package var notes: [String] = []
}
