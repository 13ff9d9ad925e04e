import slotOfKey from 'cluster-key-slot';
import type { RedisAddress } from './parse-urls.ts';

/** Range of slots and the address of the server that has them. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
  readonly address: RedisAddress;
}

/** Slots of a cluster by their server. */
export class ClusterSlots {
  readonly #names: string[] = [];
  readonly addresses: ReadonlyMap<string, RedisAddress>;

  constructor(ranges: readonly SlotRange[]) {
    const addresses = new Map<string, RedisAddress>();
    for (const { from, to, address } of ranges) {
      addresses.set(nameOf(address), address);
      for (let slot = from; slot <= to; slot++) this.#names[slot] = nameOf(address);
    }
    this.addresses = addresses;
  }

  /** Name of the server that has a key; `undefined` for a slot without a server. */
  of(key: string): string | undefined {
    return this.#names[slotOfKey(key)];
  }
}

/** Name of a server in maps and messages. */
export function nameOf({ host, port }: RedisAddress): string {
  return `${host}:${port}`;
}

/**
 * Parses the answer to CLUSTER SLOTS: for each range its slots, then its primary server and its replicas.
 * @param asked the server that answered. An empty host stands for it
 * @returns `undefined` for an answer in another form
 */
export function slotRangesFrom(answer: unknown, asked: RedisAddress): readonly SlotRange[] | undefined {
  if (!Array.isArray(answer) || answer.length === 0) return undefined;
  const ranges: SlotRange[] = [];
  for (const entry of answer as unknown[]) {
    if (!Array.isArray(entry)) return undefined;
    const [from, to, primary]: unknown[] = entry;
    if (!isSlot(from) || !isSlot(to) || !Array.isArray(primary)) return undefined;
    const [host, port]: unknown[] = primary;
    if (typeof port !== 'number' || port < 1 || port > 65_535) return undefined;
    ranges.push({ from, to, address: { host: typeof host === 'string' && host !== '' ? host : asked.host, port } });
  }
  return ranges;
}

function isSlot(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 16_384;
}

/** Parses `MOVED slot host:port` and `ASK slot host:port`; `undefined` for another error. */
export function redirectFrom(
  message: string,
  asked: RedisAddress,
): { readonly isMoved: boolean; readonly address: RedisAddress } | undefined {
  const [, kind, host = '', port] = /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(message) ?? [];
  if (kind === undefined) return undefined;
  return { isMoved: kind === 'MOVED', address: { host: host === '' ? asked.host : host, port: Number(port) } };
}
