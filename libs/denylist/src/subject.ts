import { CID, parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { latin1FromBytes, utf8FromText } from '@cairn/platform';
import { base58btc } from 'multiformats/bases/base58';

/** Multicodec code of public keys: that of CIDs of IPNS names. */
const libp2pKeyCode = 0x72;

/** Characters of the longest peer ID in base58: an identity multihash of 128 bytes. */
const peerIdCharactersMax = 180;

/** Content or a name, as rules see it. */
export interface Subject {
  readonly namespace: 'ipfs' | 'ipns';
  /** Multihash, or the domain name as UTF-8. */
  readonly root: Uint8Array;
  /** Decoded path below the root without slashes at its ends. */
  readonly path: string;
  /** Returns the text of which double hashes of the first BadBits lists are computed. */
  readonly legacy: () => string;
  /** Returns the text of which double hashes are computed. */
  readonly modern: () => string;
}

/** Describes a CID and a path below it. */
export function subjectOfCid(cid: CID, path = ''): Subject {
  const below = trimSlashes(path);
  return ofMultihash('ipfs', cid, below);
}

/** Describes an IPNS name, which is a key or a domain, and a path below it. */
export function subjectOfName(name: string, path = ''): Subject {
  const below = trimSlashes(path);
  const key = keyOf(name);
  if (key !== undefined) return ofMultihash('ipns', key, below);
  const domain = domainOf(name);
  return {
    namespace: 'ipns',
    root: utf8FromText(domain),
    path: below,
    legacy: () => `${domain}/${below}`,
    modern: () => `/ipns/${domain}${below === '' ? '' : `/${below}`}`,
  };
}

/** Removes slashes at both ends. */
export function trimSlashes(path: string): string {
  let [start, end] = [0, path.length];
  while (path[start] === '/') start++;
  while (end > start && path[end - 1] === '/') end--;
  return path.slice(start, end);
}

function ofMultihash(namespace: 'ipfs' | 'ipns', cid: CID, path: string): Subject {
  const { bytes } = cid.multihash;
  return {
    namespace,
    root: bytes,
    path,
    legacy: () => `${cid.version === 1 ? cid : CID.createV1(cid.code, cid.multihash)}/${path}`,
    modern: () => `${base58btc.encode(bytes).slice(1)}${path === '' ? '' : `/${path}`}`,
  };
}

/** Parses a name that is a key: a CID, or a peer ID in base58. */
function keyOf(name: string): CID | undefined {
  if (name.length > 1 && name.startsWith('1')) {
    const multihash = bytesOfBase58(name);
    if (multihash === undefined) return undefined;
    try {
      return CID.decode(Uint8Array.of(1, libp2pKeyCode, ...multihash));
    } catch {
      return undefined;
    }
  }
  const cid = cidOf(name);
  return cid?.version === 0 ? CID.createV1(libp2pKeyCode, cid.multihash) : cid;
}

/** Decodes base58btc without a multibase prefix. Returns undefined for other texts. */
export function bytesOfBase58(text: string): Uint8Array | undefined {
  if (text.length > peerIdCharactersMax || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return undefined;
  return base58btc.decode(`z${text}`);
}

/** Parses a CID. Returns undefined for other texts. */
export function cidOf(text: string): CID | undefined {
  try {
    return parseCid(text);
  } catch (error) {
    if (!isCairnError(error, 'CID_INVALID')) throw error;
    return undefined;
  }
}

/** Reads a domain, also one that is written as one label: `en-wikipedia--on--ipfs-org`. */
function domainOf(name: string): string {
  const lower = name.toLowerCase().replace(/\.$/, '');
  if (lower.includes('.')) return lower;
  return lower.replace(/--|-/g, (dashes) => (dashes === '--' ? '-' : '.'));
}

/** CIDs of empty files and directories. Denying them would break programs, so rules for them are ignored, as in nopfs. */
const harmlessMultihashes: ReadonlySet<string> = new Set(
  [
    'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
    'bafyaabakaieac',
    'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
    'bafkqaaa',
    'bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua',
    'baguqeeraiqjw7i2vwntyuekgvulpp2det2kpwt6cd7tx5ayqybqpmhfk76fa',
    'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
  ].map((text) => latin1FromBytes(parseCid(text).multihash.bytes)),
);

/** Reports whether a multihash is that of an empty file or directory. */
export function isHarmless({ multihash }: CID): boolean {
  return harmlessMultihashes.has(latin1FromBytes(multihash.bytes));
}
