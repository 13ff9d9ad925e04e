import {
  type AccountChange,
  type BlockRun,
  type BlockRunner,
  bytesFromHex,
  type ChainSpec,
  decodeReceipt,
  encodeBlock,
  type Hex,
  hexFromBytes,
  type StateReader,
  type StateRoots,
} from '@cairn/block-model';
import { prepareKzg } from '@cairn/block-model/kzg';
import { createBlockFromRLP, createBlockHeaderFromRLP } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import { createVM, encodeReceipt, runBlock, type VM } from '@ethereumjs/vm';
import { commonFromChainSpec, hardforkAt } from './common.ts';
import { JournaledState } from './journaled-state.ts';

/** VM of one chain, whose state and block hashes are set for each block. */
interface ChainVm {
  readonly spec: ChainSpec;
  readonly vm: VM;
  readonly common: Common;
  readonly state: RootedState;
}

/** Creates a runner of blocks of every fork on @ethereumjs/vm. It runs one block at a time. */
export function createVmBlockRunner(): BlockRunner {
  let made: ChainVm | undefined;
  let find: BlockRun['blockHashes'] = () => undefined;
  return {
    name: 'ethereumjs',
    async run({ spec, block, parent, state, roots, blockHashes }) {
      find = blockHashes;
      made = made?.spec === spec ? made : await createChainVm(spec, (number) => find(number));
      const { vm, common } = made;
      made.state.begin(state, roots);
      // A block copies `common`. The fork of the parent is set first; the fork of the block then stays for the VM.
      common.setHardfork(hardforkAt(common, parent));
      const parentHeader = createBlockHeaderFromRLP(parent.raw, { common, setHardfork: false });
      common.setHardfork(hardforkAt(common, block.header));
      const candidate = createBlockFromRLP(encodeBlock(block), { common, setHardfork: false });
      candidate.validateBlobTransactions(parentHeader);
      // `generate` computes the fields of the header. The caller compares them, as for every runner.
      const { receipts, stateRoot, requestsHash } = await runBlock(vm, {
        block: candidate,
        generate: true,
        skipHeaderValidation: true,
        reportPreimages: false,
      });
      const encoded = receipts.map((receipt, index) =>
        encodeReceipt(receipt, candidate.transactions[index]?.type ?? 0),
      );
      return {
        receipts: encoded.map(decodeReceipt),
        stateRoot: hexFromBytes(stateRoot),
        requestsHash: requestsHash && hexFromBytes(requestsHash),
      };
    },
  };
}

async function createChainVm(spec: ChainSpec, hashByNumber: (number: bigint) => Hex | undefined): Promise<ChainVm> {
  await prepareKzg();
  // The latest fork is set, since an EVM of an earlier fork has no BLS12-381.
  const common = commonFromChainSpec(spec);
  const blockchain = {
    getBlock: async (id: number | Uint8Array) => {
      const hash = typeof id === 'number' ? hashByNumber(BigInt(id)) : undefined;
      return { hash: () => (hash === undefined ? new Uint8Array(32) : bytesFromHex(hash)) };
    },
    putBlock: async () => {},
    shallowCopy: () => blockchain,
    validateHeader: async () => {},
  };
  const state = new RootedState();
  return { spec, common, state, vm: await createVM({ common, stateManager: state, blockchain, setHardfork: false }) };
}

const noState: StateReader = {
  getAccount: () => undefined,
  getCode: () => new Uint8Array(0),
  getStorage: () => new Uint8Array(0),
};

/** State of the VM that passes changes to {@link StateRoots} when the VM asks for the root. */
class RootedState extends JournaledState {
  #roots: StateRoots | undefined;

  constructor() {
    super(noState);
  }

  begin(reader: StateReader, roots: StateRoots): void {
    this.reset(reader);
    this.#roots = roots;
  }

  override async getStateRoot(): Promise<Uint8Array> {
    return (await this.#roots?.after(this.#changes())) ?? (await super.getStateRoot());
  }

  #changes(): AccountChange[] {
    const { accounts, storage, codes } = this.takeChanges();
    return [...new Set([...accounts.keys(), ...storage.keys()])].map((address) => {
      const account = this.readAccount(address);
      const code = account && codes.get(hexFromBytes(account.codeHash));
      const { isCleared = false, slots = [] } = storage.get(address) ?? {};
      return {
        address: bytesFromHex(address),
        account,
        isStorageCleared: isCleared,
        slots: [...slots].map(([slot, value]) => [bytesFromHex(slot), value] as const),
        ...(code && { code }),
      };
    });
  }
}
