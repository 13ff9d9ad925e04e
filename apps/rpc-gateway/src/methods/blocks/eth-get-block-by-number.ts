import { blockNumberParam, findBlock, isPending } from '../../block-param.ts';
import { pendingBlockJson } from '../../chains/pending-block.ts';
import { define } from '../define.ts';
import { blockJson, blockReveals, fullParam } from './block-json.ts';

export const ethGetBlockByNumber = define({
  name: 'eth_getBlockByNumber',
  summary: 'The block at a height of the canonical chain. The pending block is an empty one after the head.',
  params: [blockNumberParam, fullParam],
  result: 'The block, or null where there is none.',
  reveals: blockReveals,
  handle([id, full], context) {
    if (isPending(id)) return pendingBlockJson(context);
    const hash = findBlock(context, id);
    return hash === undefined ? null : blockJson(context, hash, full);
  },
});
