import { CID, findMultibase, formatCid } from '@cairn/cid';
import { ApiError } from './api-error.ts';

/**
 * A CID as the option `cid-base` asks for it: every base except base58btc turns version 0 into version 1, unless the option
 * `upgrade-cidv0-in-output` decides. Kubo does the same.
 */
export function printCid(cid: CID, base: string | undefined, upgrade?: boolean): string {
  const name = base === undefined || base === '' ? undefined : (findMultibase(base)?.name ?? base);
  const isUpgraded = upgrade ?? (name !== undefined && name !== 'base58btc');
  if (cid.version === 0) {
    if (!isUpgraded) return cid.toString();
    return formatCid(CID.createV1(cid.code, cid.multihash), name);
  }
  return formatCid(cid, name);
}

/** Checks the option `cid-base` before a command has done anything. @throws ApiError 400 */
export function checkCidBase(base: unknown): void {
  if (typeof base !== 'string' || base === '' || findMultibase(base) !== undefined) return;
  throw new ApiError(400, `unsupported multibase encoding: ${base.slice(0, 64)}`);
}
