import 'reflect-metadata';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Inject, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { madeGenesis, temporaryDirectory } from '../chain.fixture.ts';
import { isLocalNetwork, loadNetworks, openChainStore } from '../index.ts';
import { importChain } from '../reference-import.fixture.ts';
import { CHAINS, ChainStoreModule, type Chains } from './index.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

@Injectable()
class Reader {
  constructor(@Inject(CHAINS) readonly chains: Chains) {}
}

test('ChainStoreModule provides the chains to the application and closes them at shutdown', async () => {
  directory.write('genesis.json', madeGenesis());
  const networks = loadNetworks(
    directory.write('networks.json', { networks: [{ name: 'made', genesis: 'genesis.json' }] }),
  );
  const open = async (): Promise<Chains> =>
    await Promise.all(
      networks.filter(isLocalNetwork).map(async (network) => ({
        network,
        store: await openChainStore({ directory: `${directory.path}/${network.name}` }),
      })),
    );
  const testing = await Test.createTestingModule({
    imports: [ChainStoreModule.forRootAsync({ useFactory: open })],
    providers: [Reader],
  }).compile();
  const application = testing.createNestApplication();
  await application.init();
  const [chain] = application.get(Reader).chains;
  if (!chain) throw new Error('no chain');
  const { network, store } = chain;
  await importChain({ store, name: network.name, genesis: network.genesis, files: network.blocks });
  expect(store.head.number).toBe(0n);
  await application.close();
  expect(() => store.head).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }));
});
