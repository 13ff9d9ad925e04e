import { bigintFromBytes, bytesFromBigint, decodeRlp, encodeRlp, type RlpItem } from '@cairn/block-model';
import { type Database, Environment } from '@cairn/embedded-store';

/**
 * Databases of one chain. Keys are the named values, concatenated as bytes. The key of a header is its keccak-256. A header
 * contains the roots of body, receipts and state (see `contentCids` of @cairn/block-model); each is verified when it is read.
 */
export interface Tables {
  readonly environment: Environment;
  /** Block hash → RLP of the header. */
  readonly headers: Database;
  /** Block hash → RLP of transactions, uncles, withdrawals. */
  readonly bodies: Database;
  /** Block hash → RLP list of receipts in their consensus encoding. */
  readonly receipts: Database;
  /** Block hash → total difficulty. */
  readonly difficulties: Database;
  /** Height → block hash, of the canonical chain. */
  readonly canonical: Database;
  /** Transaction hash → block hash and index. */
  readonly transactions: Database;
  /** Address and height → the account from that height on. */
  readonly accounts: Database;
  /** Address, incarnation, slot and height → the value from that height on. */
  readonly slots: Database;
  /** Block hash → changes of accounts and slots, for branches and reorgs. */
  readonly changes: Database;
  /** Field, address or topic, and height of a canonical block → nothing; the key alone is the entry. */
  readonly logs: Database;
  /** Keccak-256 → code. */
  readonly codes: Database;
  /** Keccak-256 → node of the state trie or of a storage trie. */
  readonly nodes: Database;
  /** Head, rules, hash of the genesis, imported files. */
  readonly meta: Database;
}

export const metaKeys = {
  head: Buffer.from('head'),
  /** Keccak-256 of the rules and accounts of the genesis. */
  genesis: Buffer.from('genesis'),
  spec: Buffer.from('spec'),
  /** Hashes of the blocks with these tags, if set. */
  safe: Buffer.from('safe'),
  finalized: Buffer.from('finalized'),
  /** Number of reorgs. */
  generation: Buffer.from('generation'),
  /** Height of the oldest state of a chain from a snapshot; absent for other chains, which have all states. */
  stateFrom: Buffer.from('state-from'),
  /** Progress of a restore, or the snapshot that the chain is from. */
  restore: Buffer.from('restore'),
} as const;

/** Opens the databases of a chain. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openTables(directory: string): Promise<Tables> {
  const environment = await Environment.open({ directory, format: { name: 'cairn-chain', version: 2 } });
  const database = (name: string) => environment.database(name);
  return {
    environment,
    headers: database('headers'),
    bodies: database('bodies'),
    receipts: database('receipts'),
    difficulties: database('difficulties'),
    canonical: database('canonical'),
    transactions: database('transactions'),
    accounts: database('accounts'),
    slots: database('slots'),
    changes: database('changes'),
    logs: database('logs'),
    codes: database('codes'),
    nodes: database('nodes'),
    meta: database('meta'),
  };
}

/** Encodes a height as eight big-endian bytes, so that keys have the order of heights. */
export function heightKey(number: bigint): Buffer {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(number);
  return key;
}

/** A record of the account table. Without `state`, the account does not exist from that height on. */
export interface AccountRecord {
  readonly state:
    | {
        readonly nonce: bigint;
        readonly balance: bigint;
        readonly codeHash: Uint8Array;
        readonly storageRoot: Uint8Array;
      }
    | undefined;
  /** Number of times that the whole storage was emptied. Keys of older slots contain a lower number. */
  readonly incarnation: number;
}

export function encodeAccountRecord({ state, incarnation }: AccountRecord): Uint8Array {
  const items: RlpItem[] = [bytesFromBigint(BigInt(incarnation))];
  if (state)
    items.push(bytesFromBigint(state.nonce), bytesFromBigint(state.balance), state.codeHash, state.storageRoot);
  return encodeRlp(items);
}

export function decodeAccountRecord(bytes: Uint8Array): AccountRecord {
  const [incarnation, nonce, balance, codeHash, storageRoot] = decodeRlp('account record', bytes) as Uint8Array[];
  const number = Number(bigintFromBytes(incarnation ?? new Uint8Array(0)));
  if (!nonce || !balance || !codeHash || !storageRoot) return { incarnation: number, state: undefined };
  // Without a spread, which would have a new shape each time. Each read of an account decodes a record.
  return {
    incarnation: number,
    state: { nonce: bigintFromBytes(nonce), balance: bigintFromBytes(balance), codeHash, storageRoot },
  };
}

/** Returns the prefix of the keys of a slot; the height follows it. */
export function slotPrefix(address: Uint8Array, incarnation: number, slot: Uint8Array): Buffer {
  const prefix = Buffer.allocUnsafe(address.length + 4 + slot.length);
  prefix.set(address);
  prefix.writeUInt32BE(incarnation, address.length);
  prefix.set(slot, address.length + 4);
  return prefix;
}
