import { define } from '../define.ts';
import { blockHashParam } from '../params.ts';
import { blockJson, blockReveals, fullParam } from './block-json.ts';

export const ethGetBlockByHash = define({
  name: 'eth_getBlockByHash',
  summary: 'Returns the block of a hash, verified against that hash.',
  params: [blockHashParam, fullParam],
  result: 'The block, or null if there is none.',
  reveals: blockReveals,
  handle: ([hash, full], context) => blockJson(context, hash, full),
});
