import CUV

#if canImport(Glibc)
  import Glibc
#endif

/// Memory that a process needs only at its start: free pages of the allocator, and pages of code that ran once.
package enum StartMemory {
  /// Prevents the allocator from creating a heap per thread. One loop allocates nearly everything, and free memory in
  /// one heap can't be used by another. To be called at the start of a process; Linux with glibc only.
  package static func useOneHeap() {
    #if canImport(Glibc)
      mallopt(M_ARENA_MAX, 1)
    #endif
  }

  /// Returns the memory to the system. Code that is needed later is reloaded from the page cache, some pages at a
  /// time and without disk access. Linux with glibc only; elsewhere it does nothing.
  package static func giveBack() {
    #if canImport(Glibc)
      malloc_trim(0)
      // A debugger's breakpoints may be in the code, which this would remove.
      #if !DEBUG
        if !isTraced { giveBackCode() }
      #endif
    #endif
  }

  #if canImport(Glibc)
    /// Whether a debugger is attached: it writes into code.
    private static var isTraced: Bool {
      guard let status = fopen("/proc/self/status", "re") else { return false }
      defer { fclose(status) }
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { line in
        while let text = fgets(line.baseAddress, Int32(line.count), status) {
          if let tracer = tracer(String(cString: text)) { return tracer != 0 }
        }
        return false
      }
    }

    /// Returns the process ID of the tracer, 0 for none; nil: the line is about something else.
    static func tracer(_ line: String) -> Int? {
      guard line.hasPrefix("TracerPid:") else { return nil }
      return Int(line.dropFirst("TracerPid:".count).filter { !$0.isWhitespace })
    }

    private static func giveBackCode() {
      // All entries are read before the first range is released: reading them needs code.
      var places: [(start: UInt, end: UInt)] = []
      if let maps = fopen("/proc/self/maps", "re") {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4352) { line in
          while let text = fgets(line.baseAddress, Int32(line.count), maps) {
            if let place = code(String(cString: text)) { places.append(place) }
          }
        }
        fclose(maps)
      }
      for place in places {
        madvise(UnsafeMutableRawPointer(bitPattern: place.start), Int(place.end - place.start), Int32(MADV_DONTNEED))
      }
    }

    /// - Parameter line: `7f1afd2e1000-7f1afd304000 r-xp 00002000 fe:00 332717   /usr/lib/…`
    /// - Returns: the address range of code that was read from a file and can't have been modified; nil for all other
    ///   lines.
    static func code(_ line: String) -> (start: UInt, end: UInt)? {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard words.count >= 6, words[1] == "r-xp", words[5].hasPrefix("/") else { return nil }
      let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard ends.count == 2, ends[0] < ends[1] else { return nil }
      return (ends[0], ends[1])
    }
  #endif
}
