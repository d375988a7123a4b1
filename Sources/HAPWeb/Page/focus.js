// The focus, when a part of the page is built again.

/** Focuses a row of a characteristic. Rows are not tab stops. */
export function focusRow(row) {
  if (!row) return;
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
}

/** Returns a function that restores the focus, by the name of the focused element. */
export function focused(container) {
  const element = document.activeElement;
  if (!container.contains(element) || element === container) return null;
  const row = element.closest("[data-address]")?.dataset.address;
  const label = element.getAttribute("aria-label") ?? element.textContent;
  return () => {
    const place = row ? container.querySelector(`[data-address="${CSS.escape(row)}"]`) : container;
    if (element.dataset.address) return focusRow(place);
    const again = [...(place?.querySelectorAll(element.tagName) ?? [])].find((one) => (one.getAttribute("aria-label") ?? one.textContent) === label);
    again?.focus();
  };
}
