import { CID, findMultibase, formatCid } from '@cairn/cid';
import { ApiError } from './api-error.ts';

/**
 * Prints a CID under the option `cid-base`, as Kubo does: every base except base58btc converts version 0 to version
 * 1, unless the option `upgrade-cidv0-in-output` decides.
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

/** Checks the option `cid-base` before a command has an effect. @throws ApiError 400 */
export function checkCidBase(base: unknown): void {
  if (typeof base !== 'string' || base === '' || findMultibase(base) !== undefined) return;
  throw new ApiError(400, `unsupported multibase encoding: ${base.slice(0, 64)}`);
}
