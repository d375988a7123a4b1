// Rows that are kept: a list is told anew what there is, and the rows that stay keep what was opened in them, and the focus.

/**
 * `make(item, key)` makes `{ node, update(item) }`. Returns `{ update(items), rows }`, where `rows` finds them by `keyOf(item)`.
 * Where the row that has the focus goes away, the focus goes to the one in its place, or to `refuge`.
 */
export function keptRows(list, keyOf, make, refuge = null) {
  const rows = new Map();
  return {
    rows,
    update(items) {
      const keys = new Set(items.map(keyOf));
      let lost = null;
      for (const [key, row] of rows) {
        if (keys.has(key)) continue;
        if (row.node.contains(document.activeElement)) lost = [...list.children].indexOf(row.node);
        row.node.remove();
        rows.delete(key);
      }
      for (const [index, item] of items.entries()) {
        const key = keyOf(item);
        let row = rows.get(key);
        if (!row) {
          row = make(item, key);
          rows.set(key, row);
        }
        row.update(item);
        if (list.children[index] !== row.node) list.insertBefore(row.node, list.children[index] ?? null);
      }
      if (lost === null) return;
      const next = list.children[Math.min(lost, list.children.length - 1)]?.querySelector("button, a, summary");
      (next ?? refuge)?.focus();
    },
  };
}
