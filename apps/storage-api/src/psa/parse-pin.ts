import { parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { NewPinRequest } from '@cairn/pinning';
import { ApiError } from '../api-v0/api-error.ts';

/** Limits of the specification, and of texts that it leaves open. */
export const pinLimits = { nameCharactersMax: 255, originsMax: 20, originCharactersMax: 1000, metaMax: 1000 } as const;

/** Parses the `Pin` object of a body. @throws ApiError 400 */
export function parsePin(body: unknown): Omit<NewPinRequest, 'key'> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError(400, 'the body is not a pin object; send an object such as {"cid":"bafy…"}');
  const { cid, name, origins, meta } = body as Readonly<Record<string, unknown>>;
  if (typeof cid !== 'string') throw new ApiError(400, `cid is ${kindOf(cid)}; expected the text of a CID`);
  assertCid(cid);
  return {
    cid,
    ...(isGiven(name) && { name: parseName(name) }),
    ...(isGiven(origins) && { origins: parseOrigins(origins) }),
    ...(isGiven(meta) && { meta: parseMeta(meta) }),
  };
}

/** Reports whether an optional field is present. Clients send `null` for an absent one. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** @throws ApiError 400 */
export function assertCid(text: string): void {
  try {
    parseCid(text);
  } catch (error) {
    throw new ApiError(400, isCairnError(error) ? error.message : `${JSON.stringify(text.slice(0, 64))} is no CID`);
  }
}

/** Checks a name, or a text that is searched for in names. @throws ApiError 400 */
export function parseName(name: unknown): string {
  if (typeof name !== 'string') throw new ApiError(400, `name is ${kindOf(name)}; expected a text`);
  const characters = [...name].length;
  const { nameCharactersMax: max } = pinLimits;
  if (characters > max) throw new ApiError(400, `name has ${characters} characters; expected at most ${max}`);
  return name;
}

function parseOrigins(origins: unknown): string[] {
  const { originsMax, originCharactersMax } = pinLimits;
  if (!Array.isArray(origins) || !origins.every((origin) => typeof origin === 'string'))
    throw new ApiError(400, 'origins is not a list of texts; expected multiaddrs such as ["/dns4/host/tcp/4001"]');
  const distinct = [...new Set(origins as string[])];
  if (distinct.length > originsMax)
    throw new ApiError(400, `origins has ${distinct.length} multiaddrs; expected at most ${originsMax}`);
  const long = distinct.find(({ length }) => length > originCharactersMax);
  if (long !== undefined)
    throw new ApiError(400, `an origin has ${long.length} characters; expected at most ${originCharactersMax}`);
  return distinct;
}

/** Checks attributes, or those that a listing searches for. @throws ApiError 400 */
export function parseMeta(meta: unknown): Readonly<Record<string, string>> {
  const isObject = typeof meta === 'object' && meta !== null && !Array.isArray(meta);
  if (!isObject || !Object.values(meta).every((value) => typeof value === 'string'))
    throw new ApiError(400, 'meta is not an object of texts; expected such as {"app":"photos"}');
  const count = Object.keys(meta).length;
  if (count > pinLimits.metaMax)
    throw new ApiError(400, `meta has ${count} attributes; expected at most ${pinLimits.metaMax}`);
  return meta as Readonly<Record<string, string>>;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}
