/** Files that the browser saves. */

/** @param parts of its text */
export function saveFile(name: string, parts: readonly string[], type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
