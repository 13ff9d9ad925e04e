import type { CID } from '@cairn/cid';
import { type Database, type Environment, prefixEnd } from '@cairn/embedded-store';
import { KeyLabelExistsError, KeyLabelUnknownError, NamesFullError } from '../errors.ts';
import { ipnsNameText, parseIpnsName } from '../ipns-name.ts';
import { limits } from '../limits.ts';
import type { KeyType } from '../public-key.ts';
import { accountPrefix } from './account-prefix.ts';
import type { NameKeys, StoredKey } from './name-store.ts';
import { keyPlace } from './seal.ts';

interface KeyRecord {
  readonly name: string;
  readonly type: KeyType;
  readonly sealed: string;
}

/** Keys resealed per transaction, so that other writers get their turn. */
const resealedMax = 512;

/** Keys in LMDB. Table `keys` by account and label. */
export class LmdbNameKeys implements NameKeys {
  readonly #environment: Environment;
  readonly #keys: Database;
  /** Greatest sequences of names, which end with the last key of the name. */
  readonly #sequences: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#keys = environment.database('keys');
    this.#sequences = environment.database('sequences');
  }

  async get(account: string, label: string): Promise<StoredKey | undefined> {
    return this.#get(account, label);
  }

  #get(account: string, label: string): StoredKey | undefined {
    const found = this.#keys.get(keyOf(account, label));
    return found && decode(label, found);
  }

  async list(account: string): Promise<readonly StoredKey[]> {
    return this.#list(account);
  }

  #list(account: string): StoredKey[] {
    const prefix = accountPrefix(account);
    return [...this.#keys.range({ prefix })].map(({ key, value }) =>
      decode(Buffer.from(key.subarray(prefix.length)).toString(), value),
    );
  }

  async add(account: string, key: StoredKey): Promise<void> {
    await this.#environment.transaction(() => {
      if (this.#get(account, key.label) !== undefined) throw new KeyLabelExistsError(key.label);
      const prefix = accountPrefix(account);
      const end = prefixEnd(prefix);
      const count = [...this.#keys.keys({ start: prefix, ...(end && { end }), limit: limits.keysPerAccountMax })]
        .length;
      if (count >= limits.keysPerAccountMax)
        throw new NamesFullError('The keys of the account', limits.keysPerAccountMax);
      this.#put(account, key);
    });
  }

  async rename(
    account: string,
    { from, to, isForced = false }: { readonly from: string; readonly to: string; readonly isForced?: boolean },
  ): Promise<{ readonly key: StoredKey; readonly isReplaced: boolean }> {
    return await this.#environment.transaction(() => {
      const key = this.#require(account, from);
      if (from === to) return { key, isReplaced: false };
      const replaced = this.#get(account, to);
      if (replaced !== undefined && !isForced) throw new KeyLabelExistsError(to);
      this.#keys.remove(keyOf(account, from));
      const renamed = { ...key, label: to };
      this.#put(account, renamed);
      if (replaced !== undefined) this.#endSequence(account, replaced.name);
      return { key: renamed, isReplaced: replaced !== undefined };
    });
  }

  async remove(account: string, label: string): Promise<StoredKey> {
    return await this.#environment.transaction(() => {
      const key = this.#require(account, label);
      this.#keys.remove(keyOf(account, label));
      this.#endSequence(account, key.name);
      return key;
    });
  }

  #endSequence(account: string, name: CID): void {
    if (!this.#list(account).some((key) => key.name.equals(name)))
      this.#sequences.remove(Buffer.concat([accountPrefix(account), name.multihash.bytes]));
  }

  async changeSecrets(change: (sealed: string, place: string) => string): Promise<number> {
    let changed = 0;
    let start: Uint8Array | undefined;
    while (true) {
      const page = await this.#environment.transaction(() => {
        const entries = [...this.#keys.range({ ...(start && { start }), limit: resealedMax })];
        for (const { key, value } of entries) {
          const at = key.indexOf(0);
          const account = Buffer.from(key.subarray(0, at)).toString();
          const stored = decode(Buffer.from(key.subarray(at + 1)).toString(), value);
          const sealed = change(stored.sealed, keyPlace(account, stored.name));
          if (sealed === stored.sealed) continue;
          this.#put(account, { ...stored, sealed });
          changed++;
        }
        return entries;
      });
      const last = page.at(-1)?.key;
      if (last === undefined || page.length < resealedMax) return changed;
      start = Buffer.concat([last, Uint8Array.of(0)]);
    }
  }

  #put(account: string, { label, name, type, sealed }: StoredKey): void {
    const record: KeyRecord = { name: ipnsNameText(name), type, sealed };
    this.#keys.put(keyOf(account, label), Buffer.from(JSON.stringify(record)));
  }

  #require(account: string, label: string): StoredKey {
    const found = this.#get(account, label);
    if (found === undefined) throw new KeyLabelUnknownError(label);
    return found;
  }
}

function keyOf(account: string, label: string): Buffer {
  return Buffer.concat([accountPrefix(account), Buffer.from(label)]);
}

function decode(label: string, bytes: Uint8Array): StoredKey {
  const { name: text, type, sealed } = JSON.parse(Buffer.from(bytes).toString()) as KeyRecord;
  const name = parseIpnsName(text);
  if (name === undefined) throw new Error(`The key ${label} has no valid name.`);
  return { label, name, type, sealed };
}
