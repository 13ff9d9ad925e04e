import { blockNumberParam, findBlock } from '../../block-param.ts';
import { define } from '../define.ts';
import { blockJson, fullParam } from './block-json.ts';

export const ethGetBlockByNumber = define({
  name: 'eth_getBlockByNumber',
  summary: 'The block at a height of the canonical chain.',
  params: [blockNumberParam, fullParam],
  result: 'The block, or null where there is none.',
  handle([id, full], context) {
    const hash = findBlock(context, id);
    return hash === undefined ? null : blockJson(context, hash, full);
  },
});
