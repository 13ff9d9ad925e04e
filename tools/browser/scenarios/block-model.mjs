import {
  blockToJson,
  bytesFromHex,
  decodeBlock,
  encodeBlock,
  hexFromBytes,
  keccak256,
  knownChainSpec,
  senderOf,
  transactionsRoot,
  verifyBlock,
} from '@cairn/block-model';
import { codeOf, plain } from './tools.mjs';

export async function run({ blocks }) {
  return plain({
    blocks: blocks.map(({ hash, rlp }) => {
      const block = decodeBlock(bytesFromHex(rlp));
      verifyBlock(block, hash);
      return {
        hash: hexFromBytes(keccak256(block.header.raw)),
        transactionsRoot: transactionsRoot(block.transactions),
        senders: block.transactions.map(senderOf),
        json: blockToJson(block, { full: true }),
        isSame: hexFromBytes(encodeBlock(block)) === rlp,
      };
    }),
    spec: knownChainSpec('main', 'mainnet'),
    refusals: [
      await codeOf(() => decodeBlock(bytesFromHex(blocks[0].rlp).subarray(1))),
      await codeOf(() => verifyBlock(decodeBlock(bytesFromHex(blocks[0].rlp)), `0x${'11'.repeat(32)}`)),
    ],
  });
}
