import { blockNumberParam, isPending } from '../../block-id.ts';
import { findBlock } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { blockJson, blockReveals, fullParam } from './block-json.ts';
import type { PendingBlocks } from './pending-blocks.ts';

export const ethGetBlockByNumber = (pending: PendingBlocks) =>
  define({
    name: 'eth_getBlockByNumber',
    summary: 'Returns the canonical block of a number. The pending block is an empty block after the head.',
    params: [blockNumberParam, fullParam],
    result: 'The block, or null if there is none.',
    reveals: blockReveals,
    handle([id, full], context) {
      if (isPending(id)) return pending.json(context);
      const hash = findBlock(context, id);
      return hash === undefined ? null : blockJson(context, hash, full);
    },
  });
