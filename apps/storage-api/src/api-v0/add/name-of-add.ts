import type { CID } from '@cairn/cid';

/** Characters of the name of an add that are stored with its pin. */
const addedAsCharactersMax = 255;
/** Fewest characters of a CID. */
const cidCharactersMin = 8;

/** Returns the name that is stored with the pin of an added root; undefined for a root without a name of its own. */
export function nameOfAdd(cid: CID, path: string): string | undefined {
  if (path === '' || (path.length >= cidCharactersMin && path === cid.toString())) return undefined;
  // Most names are short. Splitting into characters keeps surrogate pairs together.
  return path.length <= addedAsCharactersMax ? path : [...path].slice(0, addedAsCharactersMax).join('');
}
