import { runInSlices, type Slices } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import { PbReader } from '@cairn/unixfs';
import { cborLinkSteps, joseLinkSteps } from './cbor-links.ts';
import { CidList } from './cid-list.ts';
import { UndecodableBlockError, UnsupportedCodecError } from './errors.ts';
import { jsonLinkSteps } from './json-links.ts';

/** Links between two pauses. */
const linksPerStep = 256;

/** Scan for the links of a block. It creates no values and pauses every fraction of a millisecond. @throws Error */
type LinkSteps = (bytes: Uint8Array) => Generator<undefined, CidList>;

// Plain CBOR and JSON have no links, as in go-ipld-prime.
const withoutLinks: ReadonlySet<number> = new Set([codecs.raw, codecs.cbor, codecs.json]);

const scans: ReadonlyMap<number, LinkSteps> = new Map<number, LinkSteps>([
  [codecs['dag-pb'], pbLinkSteps],
  [codecs['dag-cbor'], cborLinkSteps],
  [codecs['dag-json'], jsonLinkSteps],
  [codecs['dag-jose'], joseLinkSteps],
]);

/**
 * Returns the CIDs that a block links to, in order, including repeated ones. Reads the whole block, in slices.
 * @throws CODEC_UNSUPPORTED, DAG_INVALID
 */
export async function linksOf(cid: CID, bytes: Uint8Array, slices?: Pick<Slices, 'step'>): Promise<CidList> {
  if (withoutLinks.has(cid.code)) return new CidList();
  const scan = scans.get(cid.code);
  if (scan === undefined) throw new UnsupportedCodecError(cid.toString(), cid.code);
  try {
    return await runInSlices(scan(bytes), slices);
  } catch (error) {
    throw new UndecodableBlockError(cid.toString(), error);
  }
}

/** True where {@link linksOf} would find no links. Looks at the beginning of a block only; false where that is not enough. */
export function isLeaf(cid: CID, bytes: Uint8Array): boolean {
  if (withoutLinks.has(cid.code)) return true;
  if (cid.code !== codecs['dag-pb']) return false;
  try {
    return !new PbReader(bytes).next();
  } catch {
    return false;
  }
}

/** Finds the CIDs of a dag-pb block in order. links.bench.ts compares it with a decoder. @throws Error */
export function* pbLinkSteps(bytes: Uint8Array): Generator<undefined, CidList> {
  const reader = new PbReader(bytes);
  const links = new CidList();
  while (reader.next()) {
    links.push(bytes, reader.hashStart, reader.hashEnd);
    if (links.length % linksPerStep === 0) yield;
  }
  return links;
}
