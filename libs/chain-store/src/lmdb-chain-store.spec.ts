import { afterEach } from '@jest/globals';
import { temporaryDirectory } from './chain.fixture.ts';
import { importChain, openChainStore } from './index.ts';
import { describeChainStore } from './testing/index.ts';

const directories: ReturnType<typeof temporaryDirectory>[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) directory.remove();
});

describeChainStore('LMDB', async () => {
  const directory = temporaryDirectory();
  directories.push(directory);
  const open = () => openChainStore({ directory: `${directory.path}/store` });
  let files = 0;
  return {
    open,
    async add(genesis, blocks, runner) {
      const store = await open();
      try {
        const path = directory.write('genesis.json', genesis);
        const written = blocks.map((raw) => directory.write(`${files++}.rlp`, raw));
        await importChain({ store, name: 'credits', genesis: path, files: written, runner });
      } finally {
        await store.close();
      }
    },
  };
});
