/** Open directory: entries are being added to it. */
interface OpenDirectory {
  readonly names: readonly string[];
  /** Name of the last entry added. */
  current?: string;
}

/** Position of an entry in the tree. */
export interface Place {
  /** Directories that occur in the path without an entry of their own, outermost first. */
  readonly implied: readonly (readonly string[])[];
  /** Names from the root to the entry. The last one is empty for an entry without a name. */
  readonly names: readonly string[];
  /** True for a top-level entry, or if the first implied directory is top-level. */
  readonly isNewTop: boolean;
}

/**
 * Places paths in a tree as Kubo reads them from a multipart body (boxo, `files/multipartfile.go`). A directory is open
 * until a path leads out of it; a later path into it opens it again.
 */
export class TreeWalk {
  readonly #open: OpenDirectory[] = [{ names: [] }];

  /** Returns the position of the next entry; undefined for a path below the previous file, which Kubo ignores. */
  place(path: readonly string[], isDirectory: boolean): Place | undefined {
    while (this.#open.length > 1 && !isBelow(path, this.#last().names)) this.#open.pop();
    const isNewTop = this.#open.length === 1;
    const implied: (readonly string[])[] = [];
    for (;;) {
      const directory = this.#last();
      const depth = directory.names.length;
      const name = path[depth] ?? '';
      if (path.length <= depth + 1) {
        directory.current = name;
        if (isDirectory) this.#open.push({ names: name === '' ? directory.names : path });
        return { implied, names: name === '' ? [...directory.names, ''] : path, isNewTop };
      }
      if (directory.current === name) return undefined;
      directory.current = name;
      const names = path.slice(0, depth + 1);
      implied.push(names);
      this.#open.push({ names });
    }
  }

  #last(): OpenDirectory {
    return this.#open.at(-1) ?? { names: [] };
  }
}

function isBelow(path: readonly string[], directory: readonly string[]): boolean {
  if (directory.length === 0) return true;
  return path.length > directory.length && directory.every((name, index) => path[index] === name);
}
