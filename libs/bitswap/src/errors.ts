import { CairnError } from '@cairn/errors';

export type BitswapErrorCode =
  | 'BITSWAP_MESSAGE_INVALID'
  | 'BITSWAP_FETCHES_EXCEEDED'
  | 'BITSWAP_PEER_EXCLUDED'
  | 'BITSWAP_STREAM_FAILED'
  | 'BITSWAP_CLOSED';

/** Error of this package. */
export class BitswapError extends CairnError<BitswapErrorCode> {}

/** Reports bytes that are not a bitswap message. The sender is disconnected. */
export function messageInvalid(reason: string): BitswapError {
  return new BitswapError('BITSWAP_MESSAGE_INVALID', `The bitswap message is not valid: ${reason}.`);
}
