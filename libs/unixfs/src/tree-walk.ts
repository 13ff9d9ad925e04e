/** A directory that entries are being placed in. */
interface OpenDirectory {
  readonly names: readonly string[];
  /** The entry placed last in it. */
  current?: string;
}

/** The place of an entry in the tree. */
export interface Place {
  /** Directories that the path names and no entry has opened, outermost first. */
  readonly implied: readonly (readonly string[])[];
  /** All names to the entry; the last one is empty for an entry without a name. */
  readonly names: readonly string[];
  /** True for an entry at the top, or for one whose first implied directory is there. */
  readonly isNewTop: boolean;
}

/**
 * Places paths in a tree as Kubo reads them from a multipart body (boxo, `files/multipartfile.go`): a directory is open until a path
 * leads out of it, and a path that returns opens it again.
 */
export class TreeWalk {
  readonly #open: OpenDirectory[] = [{ names: [] }];

  /** The place of the next entry; undefined for a path below the file before it, which Kubo passes over. */
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
