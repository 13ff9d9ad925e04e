import type { CID } from '@cairn/cid';
import type { Database, Environment } from '@cairn/embedded-store';
import { PinNotFoundError, QuotaExceededError } from './errors.ts';
import {
  accountPrefix,
  decode,
  decodePin,
  encode,
  encodePin,
  minus,
  noUsage,
  plus,
  type RootRecord,
  rootKey,
} from './pin-records.ts';
import type { Pin, PinMode, Quota, Root, Usage } from './pin-store.ts';

/**
 * Tables of pins in LMDB, changed within a transaction of the caller: `pins` by account and CID, `usage` by account, `released`
 * by account, mode and CID, and `roots` by mode and CID.
 */
export class LmdbPinTables {
  readonly pins: Database;
  readonly usage: Database;
  readonly roots: Database;
  readonly released: Database;

  constructor(environment: Environment) {
    this.pins = environment.database('pins');
    this.usage = environment.database('usage');
    this.roots = environment.database('roots');
    this.released = environment.database('released');
  }

  /** @throws QUOTA_EXCEEDED, after which the caller must roll the transaction back */
  put(account: string, pins: readonly Pin[], { bytesMax, otherBytes = 0 }: Quota): void {
    const prefix = accountPrefix(account);
    let change = noUsage;
    for (const wanted of pins) {
      const key = Buffer.concat([prefix, wanted.cid.bytes]);
      const found = this.pins.get(key);
      const before = found && decodePin(wanted.cid, found);
      // A pin that the account made itself during the walk of a request stays its own.
      const isOwn = before !== undefined && wanted.isRequested === true && !before.isRequested;
      const pin = isOwn ? { ...wanted, name: before.name, isRequested: false } : wanted;
      change = plus(change, { pins: 1, ...pin.size });
      if (before) change = minus(change, { pins: 1, ...before.size });
      this.pins.put(key, encodePin(pin));
      if (before?.mode === pin.mode) continue;
      if (before) this.#release(prefix, before);
      this.released.remove(Buffer.concat([prefix, rootKey(pin.mode, pin.cid)]));
      this.addToRoot(pin);
    }
    const usage = this.usageOf(account);
    const used = usage.bytes + otherBytes;
    if (bytesMax !== undefined && change.bytes > 0 && used + change.bytes > bytesMax)
      throw new QuotaExceededError(used, change.bytes, bytesMax);
    this.usage.put(prefix, encode(plus(usage, change)));
  }

  /** @throws PIN_NOT_FOUND, after which the caller must roll the transaction back */
  remove(account: string, cids: readonly CID[]): void {
    const prefix = accountPrefix(account);
    let usage = this.usageOf(account);
    for (const cid of cids) {
      const before = this.get(account, cid);
      if (before === undefined) throw new PinNotFoundError(cid.toString());
      usage = minus(usage, { pins: 1, ...before.size });
      this.pins.remove(Buffer.concat([prefix, cid.bytes]));
      this.#release(prefix, before);
    }
    this.usage.put(prefix, encode(usage));
  }

  get(account: string, cid: CID): Pin | undefined {
    const found = this.pins.get(Buffer.concat([accountPrefix(account), cid.bytes]));
    return found && decodePin(cid, found);
  }

  /** Like {@link get}, but a lost record reads as absent. */
  peek(account: string, cid: CID): Pin | undefined {
    const found = this.pins.peek(Buffer.concat([accountPrefix(account), cid.bytes]));
    return found && decodePin(cid, found);
  }

  usageOf(account: string): Usage {
    const found = this.usage.get(accountPrefix(account));
    return found ? decode<Usage>(found) : noUsage;
  }

  root(mode: PinMode, cid: CID): Root | undefined {
    const found = this.roots.get(rootKey(mode, cid));
    return found && { cid, ...decode<RootRecord>(found) };
  }

  addToRoot({ mode, cid, size }: Pin): void {
    const count = (this.root(mode, cid)?.count ?? 0) + 1;
    this.roots.put(rootKey(mode, cid), encode({ count, size } satisfies RootRecord));
  }

  #release(prefix: Uint8Array, { mode, cid }: Pin): void {
    this.released.put(Buffer.concat([prefix, rootKey(mode, cid)]), encode({ at: Date.now() }));
    const root = this.root(mode, cid);
    if (root === undefined) return;
    const key = rootKey(mode, cid);
    if (root.count > 1) this.roots.put(key, encode({ count: root.count - 1, size: root.size } satisfies RootRecord));
    else this.roots.remove(key);
  }
}
