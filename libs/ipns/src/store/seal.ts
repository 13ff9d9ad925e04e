import type { CID } from '@cairn/cid';
import { ipnsNameText } from '../ipns-name.ts';
import { decodeIpnsKey, encodeIpnsKey, type IpnsKey } from '../private-key.ts';
import type { StoredKey } from './name-store.ts';

/** Encrypts secrets at rest, such as `SecretBox` of `@cairn/auth`. `place` names the record. */
export interface Seals {
  seal(text: string, place: string): string;
  open(sealed: string, place: string): string;
}

/** Returns the name of a key's record, which its seal depends on. A new label keeps it. */
export function keyPlace(account: string, name: CID): string {
  return `ipns-key ${account} ${ipnsNameText(name)}`;
}

/** Seals a key for an account. */
export function sealKey(seals: Seals, account: string, label: string, key: IpnsKey): StoredKey {
  const { name, type } = key;
  const sealed = seals.seal(Buffer.from(encodeIpnsKey(key)).toString('base64'), keyPlace(account, name));
  return { label, name, type, sealed };
}

/** Opens a sealed key. @throws the error of `seals` for a missing sealing key or a changed text */
export function openKey(seals: Seals, account: string, { name, sealed }: StoredKey): IpnsKey {
  return decodeIpnsKey(Buffer.from(seals.open(sealed, keyPlace(account, name)), 'base64'));
}
