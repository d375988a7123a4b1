/// The remarks about one file. Their number is limited, because a hostile file could cause one for each of its objects.
struct RemarkLog {
  static let most = 1000
  private(set) var remarks: [AppleArchive.Remark] = []

  mutating func add(_ place: String, _ message: String) {
    if remarks.count < Self.most {
      remarks.append(AppleArchive.Remark(place: place, message: message))
    } else if remarks.count == Self.most {
      remarks.append(AppleArchive.Remark(place: "", message: "further remarks are not shown"))
    }
  }
}
