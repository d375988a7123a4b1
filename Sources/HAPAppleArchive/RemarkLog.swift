/// The remarks of one reading. So many are kept, and no more: a file made for it could have one for each of its objects.
struct RemarkLog {
  static let most = 1000
  private(set) var remarks: [AppleArchive.Remark] = []

  mutating func add(_ place: String, _ message: String) {
    if remarks.count < Self.most {
      remarks.append(AppleArchive.Remark(place: place, message: message))
    } else if remarks.count == Self.most {
      remarks.append(AppleArchive.Remark(place: "", message: "there is more to remark than is shown"))
    }
  }
}
