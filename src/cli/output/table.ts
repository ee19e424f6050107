import { printable } from './paint';

/** Formats text in columns; the first row is the header, the last column is not padded. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map((cell) => printable(cell).replace(/\s+/g, ' ')));
  const widths = (clean[0] ?? []).map((_, column) => Math.max(...clean.map((row) => row[column]!.length)));
  return clean
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
