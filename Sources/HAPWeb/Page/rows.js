// Rows that are reused when a list is updated, so that remaining rows keep their open boxes and the focus.

/**
 * `make(item, key)` returns `{ node, update(item) }`. Returns `{ update(items), rows }`, where `rows` maps keys of `keyOf(item)` to rows.
 * If the focused row is removed, the focus moves to the row at its position, or to `refuge`.
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
