import { PlainApiError } from './api-error.ts';
import { type OptionValues, parseOptions } from './options.ts';

/** Options that every command of Kubo accepts. Most concern its command line only; their type is checked. */
export const globalOptions = {
  encoding: { kind: 'text', alias: 'enc', default: 'json' },
  'stream-channels': { kind: 'boolean' },
  timeout: { kind: 'text' },
  debug: { kind: 'boolean', alias: 'D' },
  local: { kind: 'boolean', alias: 'L' },
  offline: { kind: 'boolean' },
  help: { kind: 'boolean' },
  h: { kind: 'boolean' },
  'cid-base': { kind: 'text' },
  'upgrade-cidv0-in-output': { kind: 'boolean' },
} as const;

export type GlobalOptions = OptionValues<typeof globalOptions>;

/** Encodings of go-ipfs-cmds. Responses are JSON lines or bytes under any of them. */
const encodings: readonly string[] = ['json', 'xml', 'text', 'textnl', 'octet-stream'];

/** @throws PlainApiError 400, in Kubo's words */
export function parseGlobalOptions(query: URLSearchParams): GlobalOptions {
  const chosen = parseOptions(globalOptions, query);
  if (!encodings.includes(chosen.encoding)) throw new PlainApiError(400, `invalid encoding: ${chosen.encoding}`);
  return chosen;
}

/**
 * Applies `upgrade-cidv0-in-output` to a query: CIDs of version 0 are printed as version 1 in base32, the default
 * base, unless the request names one.
 */
export function upgradeCids(query: URLSearchParams, { 'upgrade-cidv0-in-output': isUpgraded }: GlobalOptions): void {
  if (isUpgraded === true && !query.get('cid-base')) query.set('cid-base', 'base32');
}
