import type { Postgres } from '@cairn/postgres';

/** Recomputes every sum of the index. Returns one line for each disagreement. */
export async function auditIndex(database: Postgres): Promise<string[]> {
  const { rows } = await database.read<{ text: string }>({
    text: `
      SELECT format('sums %s, %s; blocks %s, %s', s.blocks, s.bytes, b.blocks, b.bytes) AS text
      FROM (SELECT coalesce(sum(blocks), 0) AS blocks, coalesce(sum(bytes), 0) AS bytes FROM pack_sums) s,
        (SELECT count(*) AS blocks, coalesce(sum(length), 0) AS bytes FROM pack_blocks) b
      WHERE s.blocks <> b.blocks OR s.bytes <> b.bytes
      UNION ALL
      SELECT format('pack %s counts %s, %s; has %s, %s', id, live_blocks, live_bytes, b.blocks, b.bytes)
      FROM packs FULL JOIN (SELECT pack, count(*) AS blocks, sum(length) AS bytes FROM pack_blocks GROUP BY pack) b ON pack = id
      WHERE coalesce(live_blocks, -1) <> coalesce(b.blocks, 0) OR live_bytes <> coalesce(b.bytes, 0)
        OR (live_blocks = 0) <> (retired_at IS NOT NULL) OR (live_blocks > 0 AND deleting_at IS NOT NULL)
      UNION ALL
      SELECT format('owner %s has sums %s, %s; claims %s, %s', owner, s.blocks, s.bytes, c.blocks, c.bytes)
      FROM (SELECT owner, sum(blocks) AS blocks, sum(bytes) AS bytes FROM pack_claim_sums GROUP BY owner) s
      FULL JOIN (SELECT owner, count(*) AS blocks, sum(length) AS bytes FROM pack_claims WHERE is_counted GROUP BY owner) c
        USING (owner)
      WHERE coalesce(s.blocks, 0) <> coalesce(c.blocks, 0) OR coalesce(s.bytes, 0) <> coalesce(c.bytes, 0)
      UNION ALL
      SELECT format('owner %s claims an absent block', owner) FROM pack_claims
      WHERE NOT EXISTS (SELECT FROM pack_blocks WHERE multihash = pack_claims.multihash)`,
  });
  return rows.map(({ text }) => text);
}
