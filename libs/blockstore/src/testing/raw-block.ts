import { cidFor } from '@cairn/cid';
import type { Block } from '../blockstore.ts';

/** A raw block of text or bytes with its CID. */
export function rawBlock(content: string | Uint8Array): Block {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
}
