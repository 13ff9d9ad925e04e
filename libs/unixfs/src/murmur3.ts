const c1 = 0x87c37b91114253d5n;
const c2 = 0x4cf5ad432745937fn;
const wrap = (value: bigint) => BigInt.asUintN(64, value);
const rotate = (value: bigint, bits: bigint) => wrap(value << bits) | (value >> (64n - bits));
const mixFirst = (key: bigint) => wrap(rotate(wrap(key * c1), 31n) * c2);
const mixSecond = (key: bigint) => wrap(rotate(wrap(key * c2), 33n) * c1);

function finish(hash: bigint): bigint {
  let mixed = hash;
  mixed = wrap((mixed ^ (mixed >> 33n)) * 0xff51afd7ed558ccdn);
  mixed = wrap((mixed ^ (mixed >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return mixed ^ (mixed >> 33n);
}

/**
 * Computes the first 64 bits of MurmurHash3 x64-128 with seed 0 (multicodec `murmur3-x64-64`), which give the positions of
 * entries in a sharded directory. It is not cryptographic: colliding names are easy to find.
 */
export function murmur3x64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks = Math.floor(bytes.length / 16);
  let first = 0n;
  let second = 0n;
  for (let block = 0; block < blocks; block++) {
    first ^= mixFirst(view.getBigUint64(block * 16, true));
    first = wrap(wrap(rotate(first, 27n) + second) * 5n + 0x52dce729n);
    second ^= mixSecond(view.getBigUint64(block * 16 + 8, true));
    second = wrap(wrap(rotate(second, 31n) + first) * 5n + 0x38495ab5n);
  }
  const tail = new Uint8Array(16);
  tail.set(bytes.subarray(blocks * 16));
  const tailView = new DataView(tail.buffer);
  second ^= mixSecond(tailView.getBigUint64(8, true));
  first ^= mixFirst(tailView.getBigUint64(0, true));
  const length = BigInt(bytes.length);
  first = wrap((first ^ length) + (second ^ length));
  second = wrap((second ^ length) + first);
  // The first word of the result is the sum of both finished halves.
  return wrap(finish(first) + finish(second));
}
