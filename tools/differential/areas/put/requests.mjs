const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG';
const codecs = ['dag-json', 'dag-cbor', 'json', 'cbor', 'raw', 'dag-pb', '0x71', '297', 'git-raw-x', 'sha2-256'];
const hashes = [
  'sha2-256',
  'sha2-512',
  'sha3-512',
  'blake3',
  'blake2b-256',
  'keccak-256',
  '0x12',
  'identity',
  'nope',
  '',
];
const numbers = [
  '0',
  '-0',
  '1',
  '-1',
  '1.0',
  '-0.0',
  '1e3',
  '1E-7',
  '0.1',
  '1e21',
  '123456789012345678',
  '9223372036854775807',
];
const badNumbers = ['9223372036854775808', '1e999', '-'];
const texts = ['""', '"a"', '"ą"', '"\\u2028"', '"\\n\\b"', '"\\ud800"', '"/"', '"<>&"'];
const special = [
  `{"/":"${cid}"}`,
  `{"/":"${cid}","x":1}`,
  '{"/":{"bytes":"AQID"}}',
  '{"/":{"bytes":"AQ=="}}',
  '{"/":1}',
  '{"/":"bad"}',
];

/** Returns JSON text of a random value, sometimes with invalid JSON. */
function jsonOf(random, depth = 0) {
  const kind = random.integer(0, depth > 3 ? 4 : 7);
  if (kind < 2) return random.chance(0.05) ? random.pick(badNumbers) : random.pick(numbers);
  if (kind === 2) return random.pick(texts);
  if (kind === 3) return random.pick(['null', 'true', 'false']);
  if (kind === 4) return random.pick(special);
  const count = random.integer(0, 4);
  const items = Array.from({ length: count }, () => jsonOf(random, depth + 1));
  const space = random.pick(['', '', ' ', '\n\t']);
  if (kind === 5) return `[${items.join(`,${space}`)}]`;
  const keys = ['"a"', '"b"', '"bb"', '"10"', '"9"', '"ą"', '"/"', '""'];
  return `{${items.map((item, index) => `${keys[(index * 3 + count) % keys.length]}${space}:${item}`).join(',')}}`;
}

/** Returns bytes of a random CBOR item, in any valid form of its numbers and lengths. */
function cborOf(random, depth = 0) {
  const kind = random.integer(0, depth > 3 ? 5 : 8);
  const bytes = (...values) => Buffer.from(values);
  if (kind < 2) return headOf(random, kind, random.pick([0, 1, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295]));
  if (kind === 2) return Buffer.concat([headOf(random, 2, 3), bytes(1, 2, 3)]);
  if (kind === 3) return Buffer.concat([headOf(random, 3, 2), Buffer.from(random.pick(['ab', 'ą', 'b/']))]);
  if (kind === 4)
    return random
      .pick(['f93c00', 'fa3f800000', 'fb3ff199999999999a', 'f98000', 'f4', 'f5', 'f6', 'f7'])
      .match(/../g)
      .reduce((all, byte) => Buffer.concat([all, Buffer.from(byte, 'hex')]), Buffer.alloc(0));
  if (kind === 5)
    return Buffer.from(
      random.pick([
        'd82a450001550000',
        'd82a582500017112200000000000000000000000000000000000000000000000000000000000000000',
        'c101',
        'c24101',
      ]),
      'hex',
    );
  const count = random.integer(0, 3);
  const items = Array.from({ length: count }, () => cborOf(random, depth + 1));
  if (kind === 6) return Buffer.concat([headOf(random, 4, count), ...items]);
  if (kind === 7) return Buffer.concat([bytes(0x9f), ...items, bytes(0xff)]);
  const keys = ['b', 'a', 'aa', 'z'].map((key) => Buffer.concat([headOf(random, 3, key.length), Buffer.from(key)]));
  return Buffer.concat([headOf(random, 5, count), ...items.flatMap((item, index) => [keys[index], item])]);
}

/** Encodes a major type with its argument in the shortest form, or in a longer one. */
function headOf(random, major, argument) {
  const sizes = [0, 1, 2, 4, 8].filter((size) => argument < (size === 0 ? 24 : 2 ** (8 * size)));
  const size = random.chance(0.8) ? sizes[0] : random.pick(sizes);
  if (size === 0) return Buffer.from([(major << 5) + argument]);
  const bytes = Buffer.alloc(1 + size);
  bytes[0] = (major << 5) + 24 + Math.log2(size);
  if (size === 8) bytes.writeBigUInt64BE(BigInt(argument), 1);
  else bytes.writeUIntBE(argument, 1, size);
  return bytes;
}

/** Returns a random `dag/put`. */
export function randomDagPut(random) {
  const isCbor = random.chance(0.4);
  const input = isCbor ? random.pick(['dag-cbor', 'cbor', '0x71']) : random.pick(['dag-json', 'dag-json', 'json']);
  const content = isCbor ? cborOf(random).toString('latin1') : Buffer.from(jsonOf(random)).toString('latin1');
  const query = [['input-codec', input]];
  if (random.chance(0.8)) query.push(['store-codec', random.pick(codecs)]);
  if (random.chance(0.2)) query.push(['hash', random.pick(hashes)]);
  return { query, parts: [{ filename: 'x', content }] };
}

/** Returns a random `block/put`. */
export function randomBlockPut(random) {
  const query = [];
  if (random.chance(0.5)) query.push(['cid-codec', random.pick([...codecs, 'libp2p-key', 'cbor', '', '0x300001'])]);
  if (random.chance(0.3))
    query.push(['format', random.pick(['v0', 'protobuf', 'cbor', 'raw', 'dag-json', 'nope', ''])]);
  if (random.chance(0.4)) query.push(['mhtype', random.pick([...hashes, 'sha3', 'SHA2-256', 'md5', 'shake-256'])]);
  if (random.chance(0.3)) query.push(['mhlen', random.pick(['-1', '19', '20', '32', '33', '64', '129', '0', 'x'])]);
  if (random.chance(0.1)) query.push(['cid-base', random.pick(['base36', 'nope'])]);
  const count = random.integer(0, 2);
  return {
    query,
    parts: Array.from({ length: count }, () => ({ filename: 'x', content: random.pick(['', 'abc', 'x'.repeat(129)]) })),
  };
}
