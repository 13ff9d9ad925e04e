import { expect, test } from '@jest/globals';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { loadNative, loadWebAssembly } from './recover-public-key.ts';
import { recoverPublicKey as recoverSlowly } from './recover-slowly.ts';

// `npm run bench -- recover` prints recoveries per second of processor time. Implementations run alternately.
test('recoverPublicKey', async () => {
  const { cpuUsage, stdout } = process;
  const signed = Array.from({ length: 64 }, () => {
    const hash = crypto.getRandomValues(new Uint8Array(32));
    const key = secp256k1.utils.randomSecretKey();
    const signature = secp256k1.sign(hash, key, { prehash: false, format: 'recovered' });
    return { hash, signature: signature.subarray(1), yParity: signature[0] ?? 0 };
  });
  const ways = [
    { name: 'machine code', recover: loadNative(), count: 1_000 },
    { name: 'WebAssembly', recover: await loadWebAssembly(), count: 400 },
    { name: 'JavaScript', recover: recoverSlowly, count: 60 },
  ];
  const rates = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  for (let round = 0; round < 11; round++)
    for (const { name, recover, count } of ways) {
      if (recover === undefined) continue;
      const before = cpuUsage();
      for (let index = 0; index < count; index++) {
        const { hash, signature, yParity } = signed[index % signed.length] as (typeof signed)[number];
        recover(hash, signature, yParity);
      }
      const { user, system } = cpuUsage(before);
      rates.get(name)?.push((count * 1e6) / (user + system));
    }
  for (const [name, all] of rates) {
    const [low, middle, high] = [0, 5, 10].map((at) => Math.round(all.sort((a, b) => a - b)[at] ?? 0));
    stdout.write(`${name.padEnd(13)} ${middle} a second (${low} to ${high})\n`);
  }
  expect(rates.get('WebAssembly')).toHaveLength(11);
});
