// Saving text as a file, and reading it from one.

import { h } from "./dom.js";

export function saveFile(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** A field for a file whose text goes into an area: `{ node, text }`. `text()` returns the text of the area, when the file is read. */
export function fileField(area, accept) {
  /** The last read, unless the user typed since. */
  let reading = null;
  const read = async (file) => {
    const text = await file.text().catch(() => {
      throw new Error(`${file.name} can't be read`);
    });
    if (node.files[0] === file && reading !== null) area.value = text;
  };
  const node = h("input", { type: "file", accept, on: { change: () => {
    reading = node.files[0] ? read(node.files[0]) : null;
    // `text()` reports an error.
    reading?.catch(() => {});
  } } });
  area.addEventListener("input", () => { reading = null; });
  return {
    node,
    async text() {
      await reading;
      return area.value;
    },
  };
}
