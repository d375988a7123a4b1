#if canImport(CAvahi)
  import CAvahi
  import Synchronization

  /// Where the Avahi library's messages go: the process has one place for them. Nowhere, unless told.
  package enum AvahiLog {
    package enum Level: Int, Comparable, Sendable {
      case error, warning, notice, info, debug

      package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    private static let handler = Mutex<(@Sendable (Level, String) -> Void)?>(nil)

    /// - Parameter handler: called on the thread of whichever loop has something to say.
    package static func setHandler(_ handler: (@Sendable (Level, String) -> Void)?) {
      self.handler.withLock { $0 = handler }
      install()
    }

    /// Keeps Avahi from writing to standard error by itself.
    static func install() {
      avahi_set_log_function { level, text in
        guard let text else { return }
        let handler = AvahiLog.handler.withLock { $0 }
        handler?(Level(rawValue: Int(level.rawValue)) ?? .debug, String(cString: text))
      }
    }
  }
#endif
