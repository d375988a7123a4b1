/// Times of certificates: seconds since 2000-01-01 00:00:00 UTC, which is the epoch of Matter. Matter 1.4 §7.19.2.8,
/// §6.5.7.
package enum CertificateTime {
  /// As an end: 9999-12-31 23:59:59, "no end". RFC 5280 §4.1.2.5.
  package static let noEnd: UInt32 = 0

  /// The date and the time of day, each with leading zeros: YYYYMMDDHHMMSSZ.
  static func digits(_ seconds: UInt32) -> String {
    let (days, second) = (Int(seconds / 86400), Int(seconds % 86400))
    let (year, month, day) = date(days)
    func text(_ number: Int, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: width - text.count) + text
    }
    return text(year, 4) + text(month, 2) + text(day, 2) + text(second / 3600, 2) + text(second / 60 % 60, 2)
      + text(second % 60, 2) + "Z"
  }

  /// The Gregorian date of a number of days since 2000-01-01.
  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    // Counted from 1600-03-01, 400 years (146097 days) before 2000-03-01, in years that begin with March, so that a
    // leap day is the last day of its year.
    let day = days + 146_097 - 60
    let century = min(day % 146_097 / 36524, 3)
    let dayOfCentury = day % 146_097 - century * 36524
    let fourYears = dayOfCentury / 1461
    let year = min(dayOfCentury % 1461 / 365, 3)
    let dayOfYear = dayOfCentury % 1461 - year * 365
    let month = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
    let marchYear = 1600 + 400 * (day / 146_097) + 100 * century + 4 * fourYears + year
    return (month < 10 ? marchYear : marchYear + 1, month < 10 ? month + 3 : month - 9, dayOfMonth)
  }
}

extension DERWriter {
  /// Appends the validity of a certificate. RFC 5280 §4.1.2.5.
  package mutating func appendValidity(_ notBefore: UInt32, _ notAfter: UInt32) {
    append(.sequence) {
      $0.append(time: CertificateTime.digits(notBefore))
      $0.append(time: notAfter == CertificateTime.noEnd ? "99991231235959Z" : CertificateTime.digits(notAfter))
    }
  }

  /// Times before 2050 have a year of two digits.
  private mutating func append(time: String) {
    if time < "2050" { append(.utcTime, time.utf8.dropFirst(2)) } else { append(.generalizedTime, time.utf8) }
  }
}

/// The time in which a certificate is valid.
package struct CertificateValidity: Hashable, Sendable {
  /// YYYYMMDDHHMMSSZ: the order of the texts is that of the times.
  package let notBefore: String
  package let notAfter: String

  /// Whether it has begun and not ended at a time.
  /// - Parameter time: of the form of `notBefore`.
  package func contains(_ time: String) -> Bool { notBefore <= time && time <= notAfter }

  /// - Parameter seconds: since 2000-01-01.
  package func contains(_ seconds: UInt32) -> Bool { contains(CertificateTime.digits(seconds)) }
}

extension DERReader {
  /// Reads the validity of a certificate. RFC 5280 §4.1.2.5.
  package mutating func validity() throws(DERError) -> CertificateValidity {
    var reader = try reader(.sequence)
    let validity = CertificateValidity(notBefore: try reader.time(), notAfter: try reader.time())
    try reader.finish()
    return validity
  }

  private mutating func time() throws(DERError) -> String {
    let begin = offset
    let isShort = nextTag == .utcTime
    let content = try content(isShort ? .utcTime : .generalizedTime)
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    guard content.count == (isShort ? 13 : 15), content.last == UInt8(ascii: "Z"),
      content.dropLast().allSatisfy(isDigit)
    else { throw DERError(.unexpectedValue, at: begin) }
    let text = String(decoding: content, as: UTF8.self)
    return isShort ? (text < "5" ? "20" : "19") + text : text
  }
}
