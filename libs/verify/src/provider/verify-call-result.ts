import type { Header, Hex } from '@cairn/block-model';
import type { VerifiedChain } from '../chain/chain-of.ts';
import { VerifyError } from '../errors.ts';
import { verifyCall } from '../verify-call.ts';
import { ProviderRpcError, type RpcRequest } from './rpc-request.ts';

/** Executes eth_call in this process, from the witness of the gateway. @throws ProviderRpcError as eth_call does, VerifyError */
export async function callVerified(
  request: RpcRequest,
  header: Header,
  [call, , stateOverrides, blockOverrides]: readonly unknown[],
  options: { readonly chain: VerifiedChain; readonly gasCapMultiplier?: number | undefined },
): Promise<Hex> {
  const overrides = [stateOverrides ?? undefined, blockOverrides ?? undefined];
  const params = [call, { blockHash: header.hash }, ...withoutTail(overrides)];
  const answer = await request({ method: 'cairn_call', params });
  const { witness } = (answer ?? {}) as { readonly witness?: unknown };
  if (typeof witness !== 'string') throw new VerifyError('ANSWER_MALFORMED', 'The answer has no witness.');
  const message = { call, stateOverrides, blockOverrides };
  const { chain, gasCapMultiplier } = options;
  const { result } = await verifyCall(witness, {
    blockHash: header.hash,
    chain,
    message,
    ...(gasCapMultiplier !== undefined && { gasCapMultiplier }),
  });
  switch (result.kind) {
    case 'success':
      return result.output;
    case 'revert':
      throw new ProviderRpcError(3, result.message, result.data);
    case 'halt':
      throw new ProviderRpcError(-32000, result.reason);
    case 'refusal':
      throw new ProviderRpcError(-32000, result.message);
  }
}

/** Drops absent parameters at the end; one before a given parameter becomes an empty object. */
function withoutTail(params: readonly unknown[]): readonly unknown[] {
  const length = params.findLastIndex((each) => each !== undefined) + 1;
  return params.slice(0, length).map((each) => each ?? {});
}
