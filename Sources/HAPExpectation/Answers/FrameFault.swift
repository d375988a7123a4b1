/// How frames are to be wrong.
package struct FrameFault: Equatable, Sendable {
  package enum Part: String, CaseIterable, Sendable { case ciphertext, tag, length }

  /// One bit of this is turned over.
  package var flip: Part?
  /// Added to the counter; the session's own doesn't move.
  package var counterOffset = 0
  /// Announced in place of the right one.
  package var length: Int?
  /// Whether bytes are added until an enlarged length is reached.
  package var fills = false

  package init() {}
}
