import { verifyAccount, verifyCall } from '@cairn/verify';
import { readVerifiedCar, verifyFile } from '@cairn/verify/files';
import { codeOf, plain } from './tools.mjs';

export async function run({ spec, blockHash, calls }) {
  const options = { blockHash, chain: spec };
  const results = {};
  for (const { name, witness, message } of calls)
    results[name] = (await verifyCall(witness, { ...options, message })).result;
  const [{ witness }] = calls;
  const last = witness.at(-1) === '0' ? '1' : '0';
  return plain({
    results,
    refusals: [
      await codeOf(() => verifyCall(`${witness.slice(0, -1)}${last}`, options)),
      await codeOf(() => verifyCall(witness.slice(0, -2), options)),
      await codeOf(() => verifyCall(witness, { ...options, blockHash: `0x${'11'.repeat(32)}` })),
      await codeOf(() => verifyAccount(null, { header: { stateRoot: blockHash }, address: blockHash.slice(0, 42) })),
      await codeOf(() => readVerifiedCar(new Uint8Array(0))),
      await codeOf(() => verifyFile({}, 'nowhere').next()),
    ],
  });
}
