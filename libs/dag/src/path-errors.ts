import { PathLookupError } from './errors.ts';

/** Parses an index as Go's strconv.ParseInt does, so that "01" and "+1" are 1. @throws PATH_LOOKUP_FAILED */
export function indexOf(name: string, length: number, type = ''): number {
  if (!/^[+-]?\d+$/.test(name)) {
    const quoted = JSON.stringify(name);
    const reason = `strconv.ParseInt: parsing ${quoted}: invalid syntax`;
    throw new PathLookupError(`invalid segment for lookup on a list${type}: ${quoted}: ${reason}`);
  }
  const index = Number(name);
  // The message of go-ipld-prime omits negative indices.
  if (index < 0 || index >= length) throw new PathLookupError(`key not found: "${index < 0 ? '' : index}"`);
  return index;
}

/** Creates the error for a value without names. */
export function wrongKind(kind: string, type: string): PathLookupError {
  return new PathLookupError(
    `func called on wrong kind: "LookupBySegment" called on a ${type} node (kind: ${kind}), but only makes sense on map or list`,
  );
}
