import { InvalidPathError } from '@cairn/unixfs';

/** Name with the names below it. */
export interface NamePath {
  readonly name: string;
  readonly rest: readonly string[];
}

/** Parses `/ipns/<name>/…` or `<name>/…`, cleaned as Go's path.Clean does. @throws PATH_INVALID with boxo's message */
export function namePath(text: string): NamePath {
  const path = text.startsWith('/ipns/') ? text : `/ipns/${text}`;
  const [, name, ...rest] = cleanNames(path);
  if (name === undefined) throw new InvalidPathError(path, 'path does not have enough components');
  return { name, rest };
}

/** Splits a path: without empty names, relative ones resolved. */
export function cleanNames(path: string): string[] {
  const names: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') names.pop();
    else if (part !== '' && part !== '.') names.push(part);
  }
  return names;
}
