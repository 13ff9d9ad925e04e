/** Rows per slice: sorting or merging them takes a few milliseconds. */
const sliceRows = 4_000;
/** Time of a slice of a selection, in milliseconds. */
const sliceMs = 5;

/** Sorts rows in slices, so that other requests are served between them. Equal rows keep their order. */
export async function sortInSlices<T>(rows: readonly T[], compare: (one: T, other: T) => number): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < rows.length; at += sliceRows) {
    runs.push(rows.slice(at, at + sliceRows).sort(compare));
    await othersFirst();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(left: T[], right: T[], compare: (one: T, other: T) => number): Promise<T[]> {
  if (right.length === 0) return left;
  const rows: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length && r < right.length) {
    if (rows.length % sliceRows === 0) await othersFirst();
    rows.push(compare(left[l] as T, right[r] as T) <= 0 ? (left[l++] as T) : (right[r++] as T));
  }
  for (; l < left.length; l++) rows.push(left[l] as T);
  for (; r < right.length; r++) rows.push(right[r] as T);
  return rows;
}

/** Selects rows in slices of some milliseconds. */
export async function selectInSlices<T>(rows: readonly T[], isWanted: (row: T) => boolean): Promise<T[]> {
  const found: T[] = [];
  let began = performance.now();
  for (const [at, row] of rows.entries()) {
    if (at % 64 === 0 && performance.now() - began > sliceMs) {
      await othersFirst();
      began = performance.now();
    }
    if (isWanted(row)) found.push(row);
  }
  return found;
}

function othersFirst(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
