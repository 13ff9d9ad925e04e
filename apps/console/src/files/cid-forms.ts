import { type CID, formatCid, multicodecName } from '@cairn/cid';

/** A CID in the forms that tools and specifications use. */
export function cidForms(cid: CID): {
  readonly codec: string;
  readonly hash: string;
  readonly forms: readonly { readonly title: string; readonly text: string }[];
} {
  const later = cid.toV1();
  const forms = [
    { title: 'Version 1, base32', text: formatCid(later) },
    { title: 'Version 1, base36', text: formatCid(later, 'base36') },
    { title: 'Version 1, base58', text: formatCid(later, 'base58btc') },
    ...olderForm(cid),
    { title: 'Digest, hexadecimal', text: Buffer.from(cid.multihash.digest).toString('hex') },
  ];
  const named = (code: number) => multicodecName(code) ?? `0x${code.toString(16)}`;
  return { codec: named(cid.code), hash: named(cid.multihash.code), forms };
}

/** Only dag-pb with SHA-256 has a form of version 0. */
function olderForm(cid: CID): { title: string; text: string }[] {
  try {
    return [{ title: 'Version 0', text: cid.toV0().toString() }];
  } catch {
    return [];
  }
}
