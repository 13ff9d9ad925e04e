import { CID } from '@cairn/cid';
import { type Database, Environment, type StoreFormat } from '@cairn/embedded-store';
import { formerRootsMax, type RootStore, type TreeRoot } from './root-store.ts';

/** Layout of the store of file trees. Version 2 added a checksum to each record. */
export const filesFormat: StoreFormat = { name: 'cairn-files', version: 2, seals: { upgradesFrom: 1 } };

interface RootRecord {
  readonly cid: string;
  readonly bytes: number;
  /** Number of times that the root was replaced. Absent in records of earlier versions. */
  readonly changes?: number;
}

class LmdbRootStore implements RootStore {
  readonly #environment: Environment;
  readonly #roots: Database;
  /** Former roots, by account and number of the change that replaced them. */
  readonly #former: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#roots = environment.database('roots');
    this.#former = environment.database('former');
  }

  async get(account: string): Promise<TreeRoot | undefined> {
    const found = this.#get(account);
    return found && { cid: found.cid, bytes: found.bytes };
  }

  #get(account: string): TreeRecord | undefined {
    const found = this.#roots.get(Buffer.from(account));
    return found && decode(found);
  }

  async swap(account: string, before: CID | undefined, { cid, bytes }: TreeRoot): Promise<boolean> {
    return await this.#environment.transaction(() => {
      const found = this.#get(account);
      const held = found?.cid;
      if (held === undefined ? before !== undefined : before === undefined || !held.equals(before)) return false;
      const changes = (found?.changes ?? 0) + 1;
      if (held && !held.equals(cid)) {
        this.#former.put(formerKey(account, changes), held.bytes);
        this.#former.remove(formerKey(account, changes - formerRootsMax));
      }
      const record: RootRecord = { cid: cid.toString(), bytes, changes };
      this.#roots.put(Buffer.from(account), Buffer.from(JSON.stringify(record)));
      return true;
    });
  }

  async *roots(): AsyncGenerator<CID> {
    // Copied first, so that a slow reader does not keep a snapshot of the store open. An account has one small record.
    this.#environment.refresh();
    for (const { value } of [...this.#roots.range()]) yield decode(value).cid;
  }

  async assertConsistent({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    await this.#environment.verifyPages({ ...(signal && { signal }) });
    for (const { value } of [...this.#roots.range()]) decode(value);
  }

  async *rootsOf(account: string): AsyncGenerator<CID> {
    const root = this.#get(account);
    if (root) yield root.cid;
  }

  async bytesOf(account: string): Promise<number> {
    return this.#get(account)?.bytes ?? 0;
  }

  async *formerRootsOf(account: string): AsyncGenerator<CID> {
    for (const { value } of [...this.#former.range({ prefix: accountPrefix(account) })]) yield CID.decode(value);
  }

  async forgetFormerRoots(account: string, roots: readonly CID[]): Promise<void> {
    const forgotten = new Set(roots.map(String));
    await this.#environment.transaction(() => {
      for (const { key, value } of [...this.#former.range({ prefix: accountPrefix(account) })])
        if (forgotten.has(CID.decode(value).toString())) this.#former.remove(key);
    });
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

interface TreeRecord extends TreeRoot {
  readonly changes: number;
}

function decode(bytes: Uint8Array): TreeRecord {
  const { cid, bytes: held, changes = 0 } = JSON.parse(Buffer.from(bytes).toString()) as RootRecord;
  return { cid: CID.parse(cid), bytes: held, changes };
}

/** Returns the key prefix of an account. Account ids have no zero byte, so no prefix starts with another one. */
function accountPrefix(account: string): Buffer {
  return Buffer.from(`${account}\0`);
}

function formerKey(account: string, change: number): Buffer {
  const number = Buffer.alloc(6);
  number.writeUIntBE(Math.max(0, change), 0, 6);
  return Buffer.concat([accountPrefix(account), number]);
}

/** Opens the roots in an LMDB environment. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openLmdbRootStore({ directory }: { readonly directory: string }): Promise<RootStore> {
  return new LmdbRootStore(await Environment.open({ directory, format: filesFormat }));
}
