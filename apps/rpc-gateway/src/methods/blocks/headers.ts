import { blockNumberParam, findBlock, isPending } from '../../block-param.ts';
import { define } from '../define.ts';
import { blockHashParam } from '../params.ts';
import { headerJson, pendingHeaderJson } from './block-json.ts';

export const ethGetHeaderByHash = define({
  name: 'eth_getHeaderByHash',
  summary: 'The header of the block of a hash.',
  params: [blockHashParam],
  result: 'The header, or null where there is none.',
  reveals: 'nothing',
  handle: ([hash], context) => headerJson(context, hash),
});

export const ethGetHeaderByNumber = define({
  name: 'eth_getHeaderByNumber',
  summary: 'The header of the block at a height of the canonical chain.',
  params: [blockNumberParam],
  result: 'The header, or null where there is none.',
  reveals: 'nothing',
  handle([id], context) {
    if (isPending(id)) return pendingHeaderJson(context);
    const hash = findBlock(context, id);
    return hash === undefined ? null : headerJson(context, hash);
  },
});
