import { CID, encodeMultibase, findMultibase } from '@cairn/cid';

const ipnsPrefix = Buffer.from('/ipns/');
const libp2pKeyCode = 0x72;
/** Bytes of a key without a name that are shown. */
const shownBytes = 100;

/** Returns the type of a record: the first part of its key, such as `ipns`. */
export function recordType(key: Uint8Array): string {
  return Buffer.from(key.subarray(0, 64)).toString('latin1').split('/')[1] ?? '';
}

/** Returns a record's key for messages: `/ipns/` and the name in base36, or the quoted start of any other key. */
export function recordKeyText(key: Uint8Array): string {
  const name = ipnsNameOf(key);
  return name === undefined
    ? JSON.stringify(Buffer.from(key.subarray(0, shownBytes)).toString('latin1'))
    : `/ipns/${name}`;
}

function ipnsNameOf(key: Uint8Array): string | undefined {
  const base36 = findMultibase('base36');
  if (base36 === undefined || !ipnsPrefix.equals(key.subarray(0, ipnsPrefix.length))) return undefined;
  try {
    const { bytes } = CID.decode(Uint8Array.of(1, libp2pKeyCode, ...key.subarray(ipnsPrefix.length)));
    return new TextDecoder().decode(encodeMultibase(base36, bytes));
  } catch {
    return undefined;
  }
}
