import { paint, paintState } from './paint.ts';

/** Prints a value as JSON on request, otherwise as lines for people. */
export function print(
  value: unknown,
  { json = false }: { readonly json?: boolean | undefined },
  lines: readonly string[],
): void {
  if (json)
    console.log(JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? item.toString() : item)));
  else for (const line of lines) console.log(line);
}

/** Prints a count with separators of thousands. */
export function countText(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats columns as wide as their widest cell. On a terminal the first row is bold, and states have colours. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row, at) => {
    const paintCell = at === 0 ? paint.heading : paintState;
    const last = row.length - 1;
    return row
      .map((cell, column) => paintCell(column === last ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  });
}

/** Formats a time for people and logs. */
export function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}
