import HAPIP
import HAPModel
import HAPTestSupport
import Testing

@testable import HAPTransport

@Suite struct SubscriptionBookTests {
  private let on = AttributeID(aid: 1, iid: 11)
  private let button = AttributeID(aid: 1, iid: 12)

  /// Entries, parsed from JSON text.
  private func entries(_ texts: String...) throws -> [CharacteristicEntry] {
    var reader = AttributeReader()
    return try CharacteristicEntry.list(Array("{\"characteristics\":[\(texts.joined(separator: ","))]}".utf8), &reader)
  }

  private func entry(_ value: String, iid: Int = 11, status: Int = 0) throws -> CharacteristicEntry {
    try entries("{\"aid\":1,\"iid\":\(iid),\"value\":\(value),\"status\":\(status)}")[0]
  }

  @Test("Each entry of an event is news, but no entry of the read after a subscription")
  func sources() throws {
    var book = SubscriptionBook()
    book.add([on])
    book.take([try entry("true")])
    for value in ["true", "false", "null"] {
      let entry = try entry(value)
      #expect(book.isNews(entry, from: .event) && !book.isNews(entry, from: .quietly))
    }
  }

  @Test(
    "After a lost connection, a different value is news; another spelling of the same value is not",
    arguments: [
      ("true", "false", true), ("true", "true", false), ("true", "1", false), ("1", "true", false),
      ("20", "20.0", false),
      ("20", "21", true), ("\"a\"", "\"a\"", false), ("\"a\"", "\"b\"", true), ("\"1\"", "1", true),
      ("null", "1", true),
      ("1", "null", false),
    ])
  func catchUp(before: String, now: String, isNews: Bool) throws {
    var book = SubscriptionBook()
    book.add([on])
    book.take([try entry(before)])
    #expect(book.isNews(try entry(now), from: .catchUp) == isNews)
  }

  @Test("Without a known value, each value is news, but an entry with an error or without a value is not")
  func unknown() throws {
    var book = SubscriptionBook()
    book.add([on])
    #expect(book.isNews(try entry("1"), from: .catchUp))
    #expect(!book.isNews(try entry("1", status: -70402), from: .catchUp))
    #expect(!book.isNews(try entries(#"{"aid":1,"iid":11}"#)[0], from: .catchUp))
  }

  @Test("Values with an error or of other characteristics are ignored; a second subscription keeps the value")
  func taking() throws {
    var book = SubscriptionBook()
    book.add([on])
    book.take([try entry("1"), try entry("2", status: -70402), try entry("3", iid: 12)])
    #expect(book.ids == [on])
    book.add([button, on])
    #expect(book.ids == [on, button])
    let (known, unknown) = (try entry("1"), try entry("3", iid: 12))
    #expect(!book.isNews(known, from: .catchUp) && book.isNews(unknown, from: .catchUp))
  }

  @Test("A subscription is removed by the user, or if the database has no such characteristic")
  func removing() throws {
    let database = try AttributeDatabase(TestHome.accessories)
    var book = SubscriptionBook()
    let known = TestHome.id(TestHome.ID.on)
    let gone = AttributeID(aid: 9, iid: 9)
    book.add([known, gone])
    book.removeAll(notIn: database)
    #expect(book.ids == [known])
    book.remove([known, gone])
    #expect(book.ids.isEmpty)
  }
}
