import HAPStore

/// The disk of the folders of hubs. A simulated world sets its own.
package struct HubFiles: Sendable {
  @TaskLocal package static var current = HubFiles(SystemFiles())

  package let files: any StoreFiles

  package init(_ files: any StoreFiles) { self.files = files }
}
