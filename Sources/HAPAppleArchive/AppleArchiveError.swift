/// The reason why no accessory can be read from a file.
package enum AppleArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Not a property list.
  case notAnArchive
  /// A property list, but as XML.
  case xml
  /// Larger, more deeply nested or with more references than any archive.
  case tooLarge
  /// A property list that can't be read.
  case damaged(String)
  /// A property list that NSKeyedArchiver did not write.
  case notKeyed
  /// An archive without an accessory.
  case noAccessory

  package var description: String {
    switch self {
    case .notAnArchive: "this is not a binary property list"
    case .xml: "this is a property list in XML; \"plutil -convert binary1\" makes it a binary one"
    case .tooLarge: "this is larger or more deeply nested than an archive of accessories can be"
    case .damaged(let why): "the property list is damaged: \(why)"
    case .notKeyed: "this is a property list, but not an archive of objects"
    case .noAccessory: "there is no accessory in this archive"
    }
  }
}
