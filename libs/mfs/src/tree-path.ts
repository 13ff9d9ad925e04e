import { InvalidTreePathError } from './errors.ts';

/** Parsed path of a file tree. */
export interface TreePath {
  /** Names without empty and relative ones. Empty for the root. */
  readonly names: readonly string[];
  /** Text of the path: `/a/b`, or `/a/b/` if it ends with a slash. */
  readonly text: string;
  /**
   * True for the root, and for a path that ends with a slash: a destination that receives an entry under the entry's own
   * name.
   */
  readonly isInto: boolean;
}

const namesMax = 256;
const nameBytesMax = 1024;

/**
 * Parses an absolute path as Kubo does: `.` and `..` are resolved, doubled slashes are dropped.
 * @throws PATH_INVALID
 */
export function parseTreePath(path: string): TreePath {
  if (path === '') throw new InvalidTreePathError(path, 'paths must not be empty');
  if (!path.startsWith('/')) throw new InvalidTreePathError(path, 'paths must start with a leading slash');
  // No file system allows NUL in a name, and C programs end a name there.
  if (path.includes('\0')) throw new InvalidTreePathError(path, 'names must not have a NUL character');
  const names: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') names.pop();
    else names.push(part);
    if (Buffer.byteLength(part) > nameBytesMax)
      throw new InvalidTreePathError(path, `a name in the path is longer than ${nameBytesMax} bytes`);
  }
  if (names.length > namesMax) throw new InvalidTreePathError(path, `the path has more than ${namesMax} names`);
  const isInto = names.length === 0 || path.endsWith('/');
  return { names, text: isInto && names.length > 0 ? `/${names.join('/')}/` : `/${names.join('/')}`, isInto };
}

/** Returns the path of an entry in a directory. */
export function childPath({ names }: TreePath, name: string): TreePath {
  return pathOf([...names, name]);
}

/** Splits a path into directory and name, as Kubo does: the directory of `/a/b/` is `/a/b/`, with an empty name. */
export function splitPath(path: TreePath): { readonly directory: TreePath; readonly name: string } {
  const { names, isInto } = path;
  if (isInto) return { directory: path, name: '' };
  const above = names.slice(0, -1);
  const text = above.length === 0 ? '/' : `/${above.join('/')}/`;
  return { directory: { names: above, text, isInto: true }, name: names.at(-1) ?? '' };
}

/** Returns the path of valid names. */
export function pathOf(names: readonly string[]): TreePath {
  return { names, text: `/${names.join('/')}`, isInto: names.length === 0 };
}
