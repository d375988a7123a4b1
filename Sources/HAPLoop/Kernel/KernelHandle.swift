import CUV

/// The only owner of a libuv handle, which libuv closes asynchronously.
package class KernelHandle: LoopHandle {
  /// Memory of the `uv_…_t`; freed with this object, which outlives the close callback.
  let memory: UnsafeMutableRawPointer

  init<Handle>(_ loop: EventLoop, _: Handle.Type) {
    memory = zeroedMemory(Handle.self)
    super.init(loop)
  }

  deinit { memory.deallocate() }

  /// Must be called after libuv has initialised the memory as a handle.
  override final func open() {
    memory.handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    super.open()
  }

  override final func closeBeneath() {
    uv_close(memory.handle) { KernelHandle.owner(of: $0!.pointee.data).didClose() }
  }

  /// Returns the owner that the handle stores in `data`.
  static func owner(of data: UnsafeMutableRawPointer) -> Self {
    unsafeDowncast(Unmanaged<KernelHandle>.fromOpaque(data).takeUnretainedValue(), to: Self.self)
  }
}

/// Allocates zeroed memory for a libuv structure.
func zeroedMemory<Handle>(_: Handle.Type) -> UnsafeMutableRawPointer {
  let (size, alignment) = (MemoryLayout<Handle>.size, MemoryLayout<Handle>.alignment)
  let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: alignment)
  memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  return memory
}
