import Foundation
import HomeKit
import TextScreens

/// A catalogue of HomeKit: one screen for each class of objects in a home.
@MainActor public final class CatalogApp: TextApp {
  let store: CatalogStore
  /// The calendar of the person, for times.
  let calendar: Calendar
  /// The open pages; the last one is visible.
  private var pages: [any Page] = []
  /// The reason why the last tap failed; nil: it did not.
  private var alert: String?

  /// Starts the app.
  public init(manager: HMHomeManager = HMHomeManager(), calendar: Calendar = .current) {
    (store, self.calendar) = (CatalogStore(manager: manager), calendar)
    pages = [HomesPage()]
  }

  /// The present screen.
  public var screen: Screen {
    guard store.isLoaded, let page = pages.last else { return Screen("Catalog", rows: [.text("Loading…")]) }
    var rows = page.rows(in: self)
    if pages.count > 1 { rows.append(.button("Back") { self.pop() }) }
    return Screen(page.title, alert: alert, rows: rows)
  }

  // MARK: Navigation

  func push(_ page: any Page) {
    pages.append(page)
    (page as? any LivePage)?.appear(in: self)
  }

  func pop() {
    (pages.popLast() as? any LivePage)?.disappear()
    alert = nil
  }

  // MARK: Rows

  /// A button with an effect that can fail.
  func button(_ label: String, detail: String = "", action: @escaping @MainActor () async throws -> Void) -> Screen.Row
  {
    .button(label, detail: detail) { await self.attempt(action) }
  }

  /// A button that opens a page.
  func link(_ label: String, detail: String = "", to page: @escaping @MainActor () -> any Page) -> Screen.Row {
    button(label, detail: detail) { self.push(page()) }
  }

  /// A field with an effect that can fail.
  func field(
    _ label: String, content: String = "", commit: @escaping @MainActor (String) async throws -> Void
  ) -> Screen.Row {
    .field(label, content: content) { text in await self.attempt { try await commit(text) } }
  }

  /// A button that removes the object of the page, and closes the page.
  func removal(_ label: String, action: @escaping @MainActor () async throws -> Void) -> Screen.Row {
    button(label) {
      try await action()
      self.pop()
    }
  }

  private func attempt(_ body: () async throws -> Void) async {
    alert = nil
    do { try await body() } catch HMError.operationCancelled {} catch { alert = error.localizedDescription }
  }
}

/// A page of the app.
@MainActor protocol Page: AnyObject {
  var title: String { get }
  func rows(in app: CatalogApp) -> [Screen.Row]
}

/// A page that does something while it is open.
@MainActor protocol LivePage: Page {
  func appear(in app: CatalogApp)
  func disappear()
}
