import { CID, formatCid } from '@cairn/cid';

/** A CID as the option `cid-base` asks for it: every base except base58btc turns version 0 into version 1. Kubo does the same. */
export function printCid(cid: CID, base: string | undefined): string {
  if (base === undefined || base === '') return cid.toString();
  if (cid.version === 0)
    return base === 'base58btc' ? cid.toString() : formatCid(CID.createV1(cid.code, cid.multihash), base);
  return formatCid(cid, base);
}
