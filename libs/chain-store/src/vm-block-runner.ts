import type { BlockOutcome, BlockRun, BlockRunner, ChainSpec, Hex } from '@cairn/block-model';
import { decodeReceipt, encodeBlock, hexFromBytes } from '@cairn/block-model';
import { commonFromChainSpec, hardforkAt } from '@cairn/block-model/ethereumjs';
import { createBlockFromRLP, createBlockHeaderFromRLP } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import { createVM, encodeReceipt, runBlock, type VM } from '@ethereumjs/vm';
import type { ImportState } from './import-state.ts';

/** The reference runner: @ethereumjs/vm, exact on every fork. It works on the state of an import itself. */
export function createVmBlockRunner(state: ImportState): BlockRunner {
  let made: { readonly vm: VM; readonly common: Common; readonly spec: ChainSpec } | undefined;
  let find: BlockRun['blockHashes'] = () => undefined;
  return {
    name: 'ethereumjs',
    async run({ spec, block, parent, blockHashes }) {
      find = blockHashes;
      made = made?.spec === spec ? made : { ...(await makeVm(spec, state, (number) => find(number))), spec };
      const { vm, common } = made;
      // A block has a copy of `common`, so the parent's fork is set first and the block's stays for the VM.
      common.setHardfork(hardforkAt(common, parent));
      const parentHeader = createBlockHeaderFromRLP(parent.raw, { common, setHardfork: false });
      common.setHardfork(hardforkAt(common, block.header));
      const candidate = createBlockFromRLP(encodeBlock(block), { common, setHardfork: false });
      candidate.validateBlobTransactions(parentHeader);
      // `generate` has it work out what the header says instead of comparing it: that is done for all runners alike.
      const { receipts, stateRoot, requestsHash } = await runBlock(vm, {
        block: candidate,
        generate: true,
        skipHeaderValidation: true,
        reportPreimages: false,
      });
      const encoded = receipts.map((receipt, index) =>
        encodeReceipt(receipt, candidate.transactions[index]?.type ?? 0),
      );
      const outcome: BlockOutcome = {
        receipts: encoded.map(decodeReceipt),
        stateRoot: hexFromBytes(stateRoot),
        requestsHash: requestsHash && hexFromBytes(requestsHash),
      };
      return outcome;
    },
  };
}

async function makeVm(spec: ChainSpec, state: ImportState, hashByNumber: (number: bigint) => Hex | undefined) {
  // At the latest fork: BLS12-381 is set up only if its fork is active when the EVM is made.
  const common = commonFromChainSpec(spec);
  const blockchain = {
    getBlock: async (id: number | Uint8Array) => {
      const hash = typeof id === 'number' ? hashByNumber(BigInt(id)) : undefined;
      return { hash: () => Buffer.from((hash ?? `0x${'00'.repeat(32)}`).slice(2), 'hex') };
    },
    putBlock: async () => {},
    shallowCopy: () => blockchain,
    validateHeader: async () => {},
  };
  return { vm: await createVM({ common, stateManager: state, blockchain, setHardfork: false }), common };
}
