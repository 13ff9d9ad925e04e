import { CID } from '@cairn/cid';
import { type Database, Environment } from '@cairn/embedded-store';
import type { RootStore, TreeRoot } from './root-store.ts';

interface RootRecord {
  readonly cid: string;
  readonly bytes: number;
}

class LmdbRootStore implements RootStore {
  readonly #environment: Environment;
  readonly #roots: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#roots = environment.database('roots');
  }

  async get(account: string): Promise<TreeRoot | undefined> {
    return this.#get(account);
  }

  #get(account: string): TreeRoot | undefined {
    const found = this.#roots.get(Buffer.from(account));
    return found && decode(found);
  }

  async swap(account: string, before: CID | undefined, { cid, bytes }: TreeRoot): Promise<boolean> {
    return await this.#environment.transaction(() => {
      const held = this.#get(account)?.cid;
      if (held === undefined ? before !== undefined : before === undefined || !held.equals(before)) return false;
      const record: RootRecord = { cid: cid.toString(), bytes };
      this.#roots.put(Buffer.from(account), Buffer.from(JSON.stringify(record)));
      return true;
    });
  }

  async *roots(): AsyncGenerator<CID> {
    // Copied first: one small record an account, and a slow reader must not hold a snapshot of the store open.
    this.#environment.refresh();
    for (const { value } of [...this.#roots.range()]) yield decode(value).cid;
  }

  async *rootsOf(account: string): AsyncGenerator<CID> {
    const root = this.#get(account);
    if (root) yield root.cid;
  }

  async bytesOf(account: string): Promise<number> {
    return this.#get(account)?.bytes ?? 0;
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

function decode(bytes: Uint8Array): TreeRoot {
  const record = JSON.parse(Buffer.from(bytes).toString()) as RootRecord;
  return { cid: CID.parse(record.cid), bytes: record.bytes };
}

/** Opens the records of roots in an LMDB environment. @throws STORE_UNAVAILABLE, STORE_VERSION_UNSUPPORTED */
export async function openLmdbRootStore({ directory }: { readonly directory: string }): Promise<RootStore> {
  return new LmdbRootStore(await Environment.open({ directory, format: { name: 'cairn-files', version: 1 } }));
}
