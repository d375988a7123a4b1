/// A pointer that threads share. The memory is written before the pointer is shared and after its last use, and only read in between.
// Safe: `pointer` is a constant. Each use states why its memory is not written while it is shared.
struct SharedPointer<Pointer>: @unchecked Sendable {
  let pointer: Pointer

  init(_ pointer: Pointer) { self.pointer = pointer }
}
