/// A first-in, first-out queue that reuses its memory.
package struct Fifo<Element> {
  private var elements: [Element] = []
  private var head = 0

  package init() {}

  package var isEmpty: Bool { head == elements.count }
  package var count: Int { elements.count - head }
  package var first: Element? { isEmpty ? nil : elements[head] }

  package mutating func append(_ element: Element) { elements.append(element) }

  package mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head]
    head += 1
    if head == elements.count {
      removeAll(keepingCapacity: true)
    } else if head >= 32, head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }

  package mutating func removeAll(keepingCapacity: Bool = false) {
    elements.removeAll(keepingCapacity: keepingCapacity)
    head = 0
  }

  /// Removes and returns everything.
  package mutating func drain() -> [Element] {
    let all = Array(elements[head...])
    removeAll()
    return all
  }
}

extension Fifo: Sendable where Element: Sendable {}
