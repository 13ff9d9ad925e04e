import type { BlockstoreStats, Claim } from '@cairn/blockstore';
import { BatchedLookups, type Postgres } from '@cairn/postgres';
import { cidOfMultihash, keyOfMultihash } from './multihash.ts';
import { addToClaimSums, anyStripe, secondsAs, secondsParameter, type TestClock } from './tables.ts';

interface ClaimRow {
  readonly multihash: Uint8Array;
  readonly length: number;
  readonly is_counted: boolean;
}

/** Name of a claim. */
interface ClaimKey {
  readonly owner: number;
  readonly multihash: Uint8Array;
}

/** Bounds of claims that are past their grace period. */
export interface ClaimRange {
  /** First and last multihash. */
  readonly first: Uint8Array;
  readonly last: Uint8Array;
  readonly graceSeconds: number;
  /** Claims of this cycle or later stay, since an open write may rely on them. */
  readonly keepFrom: number;
}

/**
 * Claims with their sums by owner. A claim locks the row of its block against removal (KEY SHARE), and a removal reads claims
 * after it has locked the row. So no claim outlives its block.
 */
export class ClaimRows {
  readonly #database: Postgres;
  readonly #now: TestClock;
  /** Small writes look up the claims of one block each. */
  readonly #lookups = new BatchedLookups<ClaimKey, ClaimRow>((keys) => this.#find(keys));
  readonly #sums = new BatchedLookups<number, BlockstoreStats>((owners) => this.#sumsOf(owners));

  constructor(database: Postgres, now: TestClock) {
    this.#database = database;
    this.#now = now;
  }

  async claim(multihashes: readonly Uint8Array[], owner: number, isCounted: boolean): Promise<void> {
    const values = [multihashes, owner, isCounted, secondsParameter(this.#now), anyStripe()];
    const { rows } = await this.#database.write<ClaimRow>({ name: 'pack-claim', text: claim, values });
    const uncounted = rows.filter(({ is_counted }) => !is_counted).map(({ multihash }) => multihash);
    if (!isCounted || uncounted.length === 0) return;
    // Claims of an earlier, failed write, which count from now on.
    await this.#database.write({ name: 'pack-count-claims', text: count, values: [uncounted, owner, anyStripe()] });
  }

  async unclaim(multihashes: readonly Uint8Array[], owner: number): Promise<void> {
    await this.#database.write({ name: 'pack-unclaim', text: unclaim, values: [multihashes, owner, anyStripe()] });
  }

  /** Ends expired claims in a range. The lock of a row re-evaluates the condition, so that a renewed claim stays. */
  async expire({ first, last, graceSeconds, keepFrom }: ClaimRange): Promise<void> {
    const values = [first, last, secondsParameter(this.#now), graceSeconds, keepFrom, anyStripe()];
    await this.#database.write({ name: 'pack-expire-claims', text: expire, values });
  }

  async sums(owner: number): Promise<BlockstoreStats> {
    return (await this.#sums.one(owner)) ?? { blocks: 0, bytes: 0 };
  }

  async #sumsOf(owners: readonly number[]): Promise<(BlockstoreStats | undefined)[]> {
    const { rows } = await this.#database.read<BlockstoreStats & { readonly owner: number }>({
      name: 'pack-claim-sums',
      text: `SELECT owner, sum(blocks)::bigint AS blocks, sum(bytes)::bigint AS bytes
        FROM pack_claim_sums WHERE owner = ANY ($1::bigint[]) GROUP BY owner`,
      values: [[...new Set(owners)]],
    });
    const sums = new Map(rows.map(({ owner, blocks, bytes }) => [owner, { blocks, bytes }]));
    return owners.map((owner) => sums.get(owner));
  }

  /** Returns claims of an owner in the order of their multihashes, from the first one after `after`. */
  async page(owner: number, after: Uint8Array | undefined, limit: number): Promise<Claim[]> {
    const { rows } = await this.#database.read<ClaimRow>({
      text: `SELECT multihash, length, is_counted FROM pack_claims
        WHERE owner = $1 AND multihash > $2 ORDER BY multihash LIMIT $3`,
      values: [owner, after ?? Buffer.alloc(0), limit],
    });
    return rows.map(claimOf);
  }

  /** Returns the claims of an owner on some blocks, in any order. */
  async among(multihashes: readonly Uint8Array[], owner: number): Promise<readonly Claim[]> {
    const rows = await this.#lookups.many(multihashes.map((multihash) => ({ owner, multihash })));
    return rows.flatMap((row) => (row === undefined ? [] : [claimOf(row)]));
  }

  /** Looks up claims in one statement, in the order of `keys`. */
  async #find(keys: readonly ClaimKey[]): Promise<(ClaimRow | undefined)[]> {
    const { rows } = await this.#database.read<ClaimRow & { readonly owner: number }>({
      name: 'pack-claims-among',
      text: `SELECT owner, multihash, length, is_counted FROM pack_claims
        WHERE (owner, multihash) IN (SELECT * FROM unnest($1::bigint[], $2::bytea[]))`,
      values: [keys.map(({ owner }) => owner), keys.map(({ multihash }) => multihash)],
    });
    const found = new Map(rows.map((row) => [nameOf(row), row]));
    return keys.map((key) => found.get(nameOf(key)));
  }
}

function nameOf({ owner, multihash }: ClaimKey): string {
  return `${owner} ${keyOfMultihash(multihash)}`;
}

function claimOf({ multihash, length, is_counted }: ClaimRow): Claim {
  return { cid: cidOfMultihash(multihash), bytes: length, isCounted: is_counted };
}

/** `xmax` is 0 in a row that this statement inserted. */
const claim = `
  WITH stored AS MATERIALIZED (
      SELECT multihash, length FROM pack_blocks WHERE multihash = ANY ($1) ORDER BY multihash FOR KEY SHARE),
    placed AS (
      INSERT INTO pack_claims (owner, length, claimed_at, claimed_in, is_counted, multihash)
      SELECT $2, length, ${secondsAs('$4')}, number, $3, multihash FROM stored, pack_cycle ORDER BY multihash
      ON CONFLICT (owner, multihash) DO UPDATE SET claimed_at = EXCLUDED.claimed_at,
        claimed_in = greatest(pack_claims.claimed_in, EXCLUDED.claimed_in)
      RETURNING multihash, length, is_counted, xmax = 0 AS is_new),
    summed AS (
      INSERT INTO pack_claim_sums SELECT $2, $5, count(*), sum(length) FROM placed WHERE is_new AND is_counted
      HAVING count(*) > 0 ${addToClaimSums})
  SELECT multihash, length, is_counted FROM placed WHERE NOT is_new`;

const count = `
  WITH counted AS (
    UPDATE pack_claims SET is_counted = true WHERE owner = $2 AND multihash = ANY ($1) AND NOT is_counted RETURNING length)
  INSERT INTO pack_claim_sums SELECT $2, $3, count(*), sum(length) FROM counted HAVING count(*) > 0 ${addToClaimSums}`;

/** Subtracts ended claims from the sums of their owners. */
const subtract = (stripe: string) => `
  INSERT INTO pack_claim_sums SELECT owner, ${stripe}, -count(*), -sum(length) FROM ended
  WHERE is_counted GROUP BY owner ORDER BY owner ${addToClaimSums}`;

const unclaim = `
  WITH ended AS (
    DELETE FROM pack_claims WHERE owner = $2 AND multihash = ANY ($1) RETURNING owner, length, is_counted)
  ${subtract('$3')}`;

const expire = `
  WITH ended AS (
    DELETE FROM pack_claims
    WHERE multihash BETWEEN $1 AND $2 AND claimed_at <= ${secondsAs('$3')} - $4::double precision AND claimed_in < $5
    RETURNING owner, length, is_counted)
  ${subtract('$6')}`;
