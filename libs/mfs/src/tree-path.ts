import { InvalidTreePathError } from './errors.ts';

/** A path of a file tree. */
export interface TreePath {
  /** Without empty and relative names; none for the root. */
  readonly names: readonly string[];
  /** Text of the path: `/a/b`, and `/a/b/` where the path ends with a slash. */
  readonly text: string;
  /** True for the root and where the path ends with a slash: a destination that takes an entry in under its own name. */
  readonly isInto: boolean;
}

const namesMax = 256;
const nameBytesMax = 1024;

/**
 * Reads a path: absolute, `.` and `..` resolved, doubled slashes dropped, as Kubo does.
 * @throws PATH_INVALID
 */
export function parseTreePath(path: string): TreePath {
  if (path === '') throw new InvalidTreePathError(path, 'paths must not be empty');
  if (!path.startsWith('/')) throw new InvalidTreePathError(path, 'paths must start with a leading slash');
  // No file system has such a name, and programs in C end a name there.
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

/** The path of an entry below another. */
export function childPath({ names }: TreePath, name: string): TreePath {
  return pathOf([...names, name]);
}

/** The directory that a path lies in, as Kubo splits paths: of `/a/b/` it is `/a/b/`, with an empty name in it. */
export function splitPath(path: TreePath): { readonly directory: TreePath; readonly name: string } {
  const { names, isInto } = path;
  if (isInto) return { directory: path, name: '' };
  const above = names.slice(0, -1);
  const text = above.length === 0 ? '/' : `/${above.join('/')}/`;
  return { directory: { names: above, text, isInto: true }, name: names.at(-1) ?? '' };
}

/** The path of names that are valid. */
export function pathOf(names: readonly string[]): TreePath {
  return { names, text: `/${names.join('/')}`, isInto: names.length === 0 };
}
