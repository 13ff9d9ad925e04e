import { expect, test } from '@jest/globals';
import { encodeAddProvider } from './add-provider.ts';

test('ADD_PROVIDER has the bytes of go-libp2p-kad-dht', () => {
  const multihash = Uint8Array.from([0x12, 0x20, ...new Array(32).fill(7)]);
  const bytes = encodeAddProvider(multihash, { id: Uint8Array.of(0, 1, 9), addresses: [Uint8Array.of(4, 127)] });
  // Fields: type 2, key, one provider with id, address and connection 1.
  expect(Buffer.from(bytes).toString('hex')).toBe(
    `${'33'}0802${'1222'}1220${'07'.repeat(32)}${'4a0b'}0a03000109${'1202047f'}1801`,
  );
});
