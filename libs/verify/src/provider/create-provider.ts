import { isCairnError } from '@cairn/errors';
import type { VerifiedChain } from '../chain/chain-of.ts';
import { verifiedMethods } from './methods.ts';
import { parseParams, type VerifiedMethodName } from './params.ts';
import { httpRequest, ProviderRpcError, type RpcCall, type RpcRequest } from './rpc-request.ts';
import type { TrustedHead } from './trusted-head.ts';
import { VerifiedBlocks } from './verified-blocks.ts';
import { VerifiedHeaders } from './verified-headers.ts';

export interface VerifyingProviderOptions {
  /** URL of a Cairn gateway, or a function that sends requests to it. */
  readonly gateway: string | RpcRequest;
  /** Source of trust: everything else is proven from its hashes. */
  readonly trustedHead: TrustedHead;
  /** Decides the fork rules. Default: mainnet. */
  readonly chain?: VerifiedChain;
  /** Methods whose answers are passed on without verification, such as `eth_gasPrice`. Default: none. */
  readonly unverified?: readonly string[];
  /** See `VerifyCallOptions.gasCapMultiplier`. */
  readonly gasCapMultiplier?: number;
}

/** An EIP-1193 provider. */
export interface VerifyingProvider {
  /** @throws ProviderRpcError as a node does, with code 4200 for a method that is refused; VerifyError for a wrong answer */
  request(call: RpcCall): Promise<unknown>;
}

/** Creates an EIP-1193 provider that verifies every answer of a gateway and refuses methods whose answers it cannot verify. */
export function createVerifyingProvider(options: VerifyingProviderOptions): VerifyingProvider {
  const { gateway, trustedHead, chain = 'mainnet', unverified = [], gasCapMultiplier } = options;
  const request = typeof gateway === 'string' ? httpRequest(gateway) : gateway;
  const headers = new VerifiedHeaders(request, trustedHead);
  const context = { request, headers, blocks: new VerifiedBlocks(request), chain, gasCapMultiplier };
  return {
    async request({ method, params = [] }) {
      if (!isVerified(method)) {
        if (unverified.includes(method)) return request({ method, params });
        throw new ProviderRpcError(
          4200,
          `The answer of ${method} cannot be verified. List the method in "unverified" to use it without verification.`,
        );
      }
      try {
        return await verifiedMethods[method](context, parseParams(method, params));
      } catch (error) {
        if (isCairnError(error, 'VALUE_INVALID') || isCairnError(error, 'OVERRIDE_INVALID'))
          throw new ProviderRpcError(-32602, error.message);
        throw error;
      }
    },
  };
}

function isVerified(method: string): method is VerifiedMethodName {
  return Object.hasOwn(verifiedMethods, method);
}
