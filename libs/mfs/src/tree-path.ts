import { InvalidTreePathError } from './errors.ts';

/** A path of a file tree. */
export interface TreePath {
  /** Without empty and relative names; none for the root. */
  readonly names: readonly string[];
  /** As it is printed: `/a/b`. */
  readonly text: string;
  /** True where the path ends with a slash, which says "into this directory". */
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
  const names: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') names.pop();
    else names.push(part);
    if (Buffer.byteLength(part) > nameBytesMax)
      throw new InvalidTreePathError(path, `a name in the path is longer than ${nameBytesMax} bytes`);
  }
  if (names.length > namesMax) throw new InvalidTreePathError(path, `the path has more than ${namesMax} names`);
  return { names, text: `/${names.join('/')}`, isInto: path.endsWith('/') && names.length > 0 };
}

/** The path of an entry below another. */
export function below(path: TreePath, name: string): TreePath {
  const names = [...path.names, name];
  return { names, text: `/${names.join('/')}`, isInto: false };
}
