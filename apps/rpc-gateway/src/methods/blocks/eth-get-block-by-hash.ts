import { parseHash } from '@cairn/block-model';
import { define } from '../define.ts';
import { blockJson, fullParam } from './block-json.ts';

export const ethGetBlockByHash = define({
  name: 'eth_getBlockByHash',
  summary: 'The block of a hash, held to that hash.',
  params: [{ name: 'hash', summary: 'the hash of a block, "0x" and 64 digits.', parse: parseHash }, fullParam],
  result: 'The block, or null where there is none.',
  handle: ([hash, full], context) => blockJson(context, hash, full),
});
