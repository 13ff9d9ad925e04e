import { type CustomTransport, custom } from 'viem';
import { createVerifyingProvider, type VerifyingProviderOptions } from '../provider/index.ts';

/**
 * Creates a viem transport that verifies every answer of a Cairn gateway. A wrong answer is not requested again; viem wraps its
 * `VerifyError` as the cause of its own error.
 */
export function verifyingTransport(options: VerifyingProviderOptions): CustomTransport {
  return custom(createVerifyingProvider(options), { key: 'cairn', name: 'Cairn, verified', retryCount: 0 });
}
