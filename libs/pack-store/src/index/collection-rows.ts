import { CycleOverError, type DiscardResult, type SweepOptions, type SweepStep } from '@cairn/blockstore';
import { type CID, codecs } from '@cairn/cid';
import type { Postgres } from '@cairn/postgres';
import { removeRows } from './block-rows.ts';
import type { ClaimRows } from './claim-rows.ts';
import { CycleRow } from './cycle-row.ts';
import { blockKey, cidOfMultihash, keyOfMultihash, multihashAfter } from './multihash.ts';
import { secondsAs, secondsParameter, type TestClock } from './tables.ts';

interface SweepRow {
  readonly collection: number;
  readonly keep_from: number;
  /** Null in the only row of an empty page. */
  readonly multihash: Uint8Array | null;
  readonly is_due: boolean | null;
}

interface DiscardRow {
  readonly multihash: Uint8Array;
  readonly is_own: boolean;
  readonly touched_in: number;
}

/** Marks, sweeps and removals of an owner over the rows of blocks. */
export class CollectionRows {
  readonly #database: Postgres;
  readonly #claims: ClaimRows;
  readonly #now: TestClock;

  constructor(database: Postgres, claims: ClaimRows, now: TestClock) {
    this.#database = database;
    this.#claims = claims;
    this.#now = now;
  }

  /** Returns those of these blocks that the cycle has not marked as the codec of the CID. Every mark includes raw. */
  async unmarked(cids: readonly CID[], cycle: number): Promise<CID[]> {
    const { rows } = await this.#database.read<{ multihash: Uint8Array; marked_as: number }>({
      name: 'pack-marked',
      text: 'SELECT multihash, marked_as FROM pack_blocks WHERE multihash = ANY ($1) AND mark = $2',
      values: [cids.map(({ multihash }) => multihash.bytes), cycle],
    });
    const markedAs = new Map(rows.map(({ multihash, marked_as }) => [keyOfMultihash(multihash), marked_as]));
    return cids.filter((cid) => {
      const code = markedAs.get(blockKey(cid));
      return code === undefined || (code !== cid.code && cid.code !== codecs.raw);
    });
  }

  /** Marks stored blocks. A raw mark does not replace another codec, and a mark of an ended cycle none of a later one. */
  async mark(cids: readonly CID[], cycle: number): Promise<void> {
    // A statement changes a row once: the last codec that is not raw counts.
    const marks = new Map<string, CID>();
    for (const cid of cids) if (cid.code !== codecs.raw || !marks.has(blockKey(cid))) marks.set(blockKey(cid), cid);
    const each = [...marks.values()];
    const values = [each.map(({ multihash }) => multihash.bytes), each.map(({ code }) => code), cycle];
    await this.#database.write({ name: 'pack-mark', text: mark, values });
  }

  /** Runs a step of the sweep; see `Collectable.sweep`. @throws CYCLE_OVER */
  async sweep(options: SweepOptions): Promise<SweepStep> {
    const { cycle, graceSeconds, start, limit } = options;
    const cacheGraceSeconds = Math.min(graceSeconds, options.cacheGraceSeconds ?? graceSeconds);
    const seconds = secondsParameter(this.#now);
    const { rows } = await this.#database.read<SweepRow>({
      name: 'pack-sweep-page',
      text: sweepPage,
      values: [start ?? Buffer.alloc(0), limit, cycle, seconds, graceSeconds, cacheGraceSeconds],
    });
    const [first] = rows;
    assertCurrent(cycle, first?.collection ?? 0);
    const page = rows.flatMap(({ multihash }) => multihash ?? []);
    const last = page.at(-1);
    if (first === undefined || page[0] === undefined || last === undefined)
      return { removed: [], bytes: 0, next: undefined };
    await this.#claims.expire({ first: page[0], last, graceSeconds, keepFrom: first.keep_from });
    const due = rows.flatMap(({ multihash, is_due }) => (multihash && is_due ? [multihash] : []));
    const removed = due.length === 0 ? [] : await this.#removeGarbage(due, { cycle, graceSeconds, cacheGraceSeconds });
    return {
      removed: removed.map(({ multihash }) => cidOfMultihash(multihash)),
      bytes: removed.reduce((sum, { length }) => sum + length, 0),
      next: page.length === limit ? multihashAfter(last) : undefined,
    };
  }

  /** The lock of each row re-evaluates the conditions, so that a block that was touched since the page was read stays. */
  async #removeGarbage(
    due: readonly Uint8Array[],
    {
      cycle,
      graceSeconds,
      cacheGraceSeconds,
    }: { readonly cycle: number; readonly graceSeconds: number; readonly cacheGraceSeconds: number },
  ) {
    const seconds = secondsParameter(this.#now);
    return await this.#database.transaction(async (transaction) => {
      const { collection, keepFrom } = await CycleRow.lockShared(transaction);
      assertCurrent(cycle, collection);
      const { rows } = await transaction.run<{ multihash: Uint8Array; length: number }>({
        name: 'pack-lock-garbage',
        text: lockGarbage,
        values: [due, cycle, seconds, graceSeconds, keepFrom, cacheGraceSeconds],
      });
      if (rows.length > 0)
        await removeRows(
          transaction,
          rows.map(({ multihash }) => multihash),
          seconds,
        );
      return rows;
    });
  }

  /** Removes blocks of one owner; see `Claims.discardMany`. The rows stay locked from the test to the removal. */
  async discard(cids: readonly CID[], owner: number, keepFrom: number): Promise<DiscardResult[]> {
    const found = await this.#database.transaction(async (transaction) => {
      const values = [cids.map(({ multihash }) => multihash.bytes), owner];
      const { rows } = await transaction.run<DiscardRow>({ name: 'pack-lock-own', text: lockOwn, values });
      const free = rows.filter(({ is_own, touched_in }) => is_own && touched_in < keepFrom);
      if (free.length > 0) {
        const multihashes = free.map(({ multihash }) => multihash);
        await removeRows(transaction, multihashes, secondsParameter(this.#now));
      }
      return rows;
    });
    const results = new Map(
      found.map(({ multihash, is_own, touched_in }): [string, DiscardResult] => [
        keyOfMultihash(multihash),
        is_own ? (touched_in < keepFrom ? 'removed' : 'busy') : 'shared',
      ]),
    );
    const shared = cids.filter((cid) => results.get(blockKey(cid)) === 'shared');
    if (shared.length > 0)
      await this.#claims.unclaim(
        shared.map(({ multihash }) => multihash.bytes),
        owner,
      );
    return cids.map((cid) => results.get(blockKey(cid)) ?? 'absent');
  }
}

function assertCurrent(cycle: number, current: number): void {
  if (current !== cycle) throw new CycleOverError(cycle, current);
}

const mark = `
  WITH unmarked AS MATERIALIZED (
    SELECT pack_blocks.multihash, code
    FROM unnest($1::bytea[], $2::bigint[]) AS given (multihash, code)
    JOIN pack_blocks ON pack_blocks.multihash = given.multihash
    WHERE mark < $3 OR (mark = $3 AND marked_as <> code AND code <> ${codecs.raw})
    ORDER BY pack_blocks.multihash FOR NO KEY UPDATE OF pack_blocks)
  UPDATE pack_blocks SET mark = $3, marked_as = code FROM unmarked WHERE pack_blocks.multihash = unmarked.multihash`;

/** A mark of a later cycle also keeps a block. A block with a claim is not cached. */
const isGarbage = (parameters: {
  readonly table: string;
  readonly cycle: string;
  readonly keepFrom: string;
  readonly seconds: string;
  readonly grace: string;
  readonly cacheGrace: string;
}) => `mark < ${parameters.cycle} AND touched_in < ${parameters.keepFrom}
  AND abs(${secondsAs(parameters.seconds)} - touched_at) >= CASE
    WHEN owner = 0 AND NOT EXISTS (SELECT FROM pack_claims WHERE pack_claims.multihash = ${parameters.table}.multihash)
    THEN ${parameters.cacheGrace} ELSE ${parameters.grace} END::double precision`;

const sweepPage = `
  SELECT collection, keep_from, multihash,
    ${isGarbage({ table: 'page', cycle: '$3', keepFrom: 'keep_from', seconds: '$4', grace: '$5', cacheGrace: '$6' })} AS is_due
  FROM pack_cycle LEFT JOIN LATERAL (
    SELECT multihash, mark, touched_in, touched_at, owner FROM pack_blocks WHERE multihash >= $1 ORDER BY multihash LIMIT $2
  ) AS page ON true
  ORDER BY multihash`;

const lockGarbage = `
  SELECT multihash, length FROM pack_blocks
  WHERE multihash = ANY ($1) AND ${isGarbage({ table: 'pack_blocks', cycle: '$2', keepFrom: '$5', seconds: '$3', grace: '$4', cacheGrace: '$6' })}
  ORDER BY multihash FOR UPDATE`;

const lockOwn = `
  SELECT multihash, owner = $2 AND pack >= owned_from AS is_own, touched_in FROM pack_blocks, pack_cycle
  WHERE multihash = ANY ($1) ORDER BY multihash FOR UPDATE OF pack_blocks`;
