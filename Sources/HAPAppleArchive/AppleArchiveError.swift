/// Why nothing at all is to be had from a file.
package enum AppleArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Not a property list.
  case notAnArchive
  /// A property list, but as XML.
  case xml
  /// Larger, deeper or more entangled than any archive is.
  case tooLarge
  /// A property list that can't be read.
  case damaged(String)
  /// A property list, but not by NSKeyedArchiver.
  case notKeyed
  /// An archive of something else.
  case noAccessory

  package var description: String {
    switch self {
    case .notAnArchive: "this is no binary property list"
    case .xml: "this is a property list in XML; \"plutil -convert binary1\" makes it a binary one"
    case .tooLarge: "this is larger, or nests deeper, than an archive of accessories can be"
    case .damaged(let why): "the property list is damaged: \(why)"
    case .notKeyed: "this is a property list, but no archive of objects"
    case .noAccessory: "there is no accessory in this archive"
    }
  }
}
