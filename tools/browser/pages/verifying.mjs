// Page of verifying-page.spec.mjs: reads a contract with viem over the verifying transport.
import { parseGethGenesis } from '@cairn/block-model';
import { verifyingTransport } from '@cairn/verify/viem';
import { createPublicClient } from 'viem';

/** Results of the reads, or the code of the `VerifyError` that viem wraps. */
export async function run({ url, genesis, head, token, holder }) {
  const { spec: chain } = parseGethGenesis('sample', genesis);
  const client = createPublicClient({
    transport: verifyingTransport({ gateway: url, trustedHead: () => ({ hash: head }), chain }),
  });
  const abi = [
    {
      type: 'function',
      name: 'balanceOf',
      stateMutability: 'view',
      inputs: [{ name: 'holder', type: 'address' }],
      outputs: [{ type: 'uint256' }],
    },
  ];
  const code = (error) => error.walk?.((each) => each.name === 'VerifyError')?.code ?? error.message;
  const reads = {
    tokens: () =>
      client.readContract({ address: token, abi, functionName: 'balanceOf', args: [holder], account: holder }),
    balance: () => client.getBalance({ address: holder }),
    code: async () => (await client.getCode({ address: token })).length,
    logs: async () => (await client.getLogs({ address: token, fromBlock: 0n })).length,
    block: async () => (await client.getBlock({ blockNumber: 9n })).hash,
  };
  const results = {};
  for (const [name, read] of Object.entries(reads)) results[name] = String(await read().catch(code));
  return results;
}
