import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineChain, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type Anvil, startAnvil } from '../../../tools/peers/anvil.mjs';
import { call, createHome, type Gateway, key, startGateway, withAuth } from './gateway.ts';

/** Key of the account with funds. */
export const privateKey: Hex = `0x${'77'.repeat(32)}`;
export const account = privateKeyToAccount(privateKey);
const zero = `0x${'00'.repeat(32)}`;
const forks = [
  'homestead',
  'eip150',
  'eip155',
  'eip158',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
];
const genesis = {
  config: {
    chainId: 1337,
    ...Object.fromEntries(forks.map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
  },
  nonce: '0x0',
  extraData: '0x',
  mixHash: zero,
  coinbase: `0x${'00'.repeat(20)}`,
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  baseFeePerGas: '0x3b9aca00',
  timestamp: '0x0',
  alloc: { [account.address]: { balance: '0x56bc75e2d63100000' } },
};
/** The chain of anvil for viem. */
export const chain = defineChain({
  id: 1337,
  name: 'anvil',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
});

/** A gateway whose keys may send, over an anvil. */
export interface AnvilNetwork {
  readonly anvil: Anvil;
  readonly gateway: Gateway;
  stop(): Promise<void>;
}

/** Starts anvil, and a gateway that reads its chain. The key `reader` may not send. */
export async function startAnvilNetwork(): Promise<AnvilNetwork> {
  const directory = await mkdtemp(join(tmpdir(), 'cairn-anvil-'));
  const file = join(directory, 'genesis.json');
  await writeFile(file, JSON.stringify(genesis));
  const home = await createHome();
  const anvil = await startAnvil({ genesis: file, hardfork: 'prague' });
  const remove = async () => {
    await anvil.stop();
    for (const path of [directory, home]) await rm(path, { recursive: true, force: true });
  };
  try {
    // The state root of anvil's genesis block omits its accounts; that of the next block has them.
    await call(anvil.url, 'anvil_mine', []);
    await withAuth(home, async (auth) => {
      await auth.limitKey(key, { policy: { grants: ['send'] } });
      await auth.createKey('caller', { id: 'reader' });
    });
    const upstreams = [anvil.url, anvil.url.replace('http', 'ws')];
    const entry = {
      name: 'anvil',
      hosts: ['*'],
      upstreams,
      head: { trusted: true },
      chainId: 1337,
      requireFrom: false,
    };
    const gateway = await startGateway({ home, networks: [entry] });
    const stop = async () => {
      await gateway.end();
      await remove();
    };
    return { anvil, gateway, stop };
  } catch (error) {
    await remove();
    throw error;
  }
}
