/// Encodes all but the unreserved characters (RFC 3986 §2.3), so that the page reads the same text: it reads "+" as a space.
package func percentEncoded(_ text: String) -> String {
  text.utf8.map { byte in
    let character = Character(Unicode.Scalar(byte))
    if character.isASCII, character.isLetter || character.isNumber || "-._~".contains(character) {
      return String(character)
    }
    let digits = String(byte, radix: 16, uppercase: true)
    return "%" + (digits.count == 1 ? "0" : "") + digits
  }.joined()
}
