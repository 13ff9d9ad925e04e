import { cidFor } from '@cairn/cid';
import { expect, test } from '@jest/globals';
import { keyOf, regionOf } from '../keyspace.ts';
import { SimulatedDht } from '../testing/simulated-dht.ts';

const recordsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const multihash = cidFor(Buffer.from(`content ${at}`), { codec: 'raw' }).multihash.bytes;
    return { multihash, key: keyOf(multihash) };
  }).sort((a, b) => Buffer.compare(a.key, b.key));

/** Announces all records region by region, as the schedule does. */
async function sweep(dht: SimulatedDht, records: ReturnType<typeof recordsOf>): Promise<number> {
  let regions = 0;
  for (let at = 0; at < records.length; ) {
    const first = records[at];
    if (first === undefined) break;
    const { region, announce } = await dht.openRegion(first);
    const end = records.findIndex(
      ({ key }, other) => other > at && Buffer.compare(regionOf(key, region.bits).start, region.start) !== 0,
    );
    const page = records.slice(at, end === -1 ? undefined : end);
    expect(await announce(page)).toEqual(page.map(() => true));
    regions++;
    at += page.length;
  }
  return regions;
}

test.each([1, 5, 19, 20, 21, 40, 300, 3000])('each record reaches its closest nodes among %i', async (nodes) => {
  const dht = new SimulatedDht(nodes);
  const records = recordsOf(1500);
  await sweep(dht, records);
  let missed = 0;
  for (const { key, multihash } of records)
    for (const { id } of dht.closestTo(key))
      if (!dht.stored.get(id)?.has(Buffer.from(multihash).toString('hex'))) missed++;
  expect(missed).toBe(0);
  expect(dht.messages).toBe(records.length * Math.min(20, nodes));
});

test('the number of lookups depends on the nodes and not on the records', async () => {
  const few = new SimulatedDht(2000);
  await sweep(few, recordsOf(2000));
  const many = new SimulatedDht(2000);
  const regions = await sweep(many, recordsOf(20_000));
  expect(regions).toBeLessThan(200);
  expect(many.lookups).toBeLessThan(600);
  expect(many.lookups).toBeLessThan(few.lookups * 1.5);
  // One stream to each node of a region, and not one per record.
  expect(many.streams).toBeLessThan(regions * 80);
});

test('openRegion throws ROUTING_UNAVAILABLE without nodes', async () => {
  const [record] = recordsOf(1);
  if (record === undefined) throw new Error('There is no record.');
  await expect(new SimulatedDht(0).openRegion(record)).rejects.toMatchObject({ code: 'ROUTING_UNAVAILABLE' });
});
