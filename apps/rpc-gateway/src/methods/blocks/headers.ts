import { blockNumberParam, isPending } from '../../block-id.ts';
import { findBlock } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { blockHashParam } from '../params.ts';
import { headerJson } from './block-json.ts';
import type { PendingBlocks } from './pending-blocks.ts';

export const ethGetHeaderByHash = define({
  name: 'eth_getHeaderByHash',
  summary: 'Returns the header of a block by hash.',
  params: [blockHashParam],
  result: 'The header, or null if there is none.',
  reveals: 'nothing',
  handle: ([hash], context) => headerJson(context, hash),
});

export const ethGetHeaderByNumber = (pending: PendingBlocks) =>
  define({
    name: 'eth_getHeaderByNumber',
    summary: 'Returns the header of a canonical block by number.',
    params: [blockNumberParam],
    result: 'The header, or null if there is none.',
    reveals: 'nothing',
    handle([id], context) {
      if (isPending(id)) return pending.headerJson(context);
      const hash = findBlock(context, id);
      return hash === undefined ? null : headerJson(context, hash);
    },
  });
