import { randomUUID } from 'node:crypto';
import { errorChain } from '@cairn/errors';
import type { AnyMethod, DispatcherOptions } from '@cairn/jsonrpc-core';
import type { Logger } from '@cairn/service-kit';
import { authorize } from './authorize.ts';
import { eventLoop } from './event-loop.ts';
import type { RequestContext } from './request-context.ts';
import { isForOperator, rpcErrorFrom } from './rpc-errors.ts';
import type { GatewaySettings } from './settings.ts';

/** Shortest time in milliseconds between two log lines about upstreams that failed: clients cause them. */
const upstreamLogMs = 1000;

const writes = /^(eth_send|eth_sign|personal_|miner_|admin_|engine_|wallet_)/;

/** Connects methods to the limits, error policy and log of this gateway. */
export function dispatcherOptions({
  methods,
  settings,
  logger,
}: {
  readonly methods: readonly AnyMethod<RequestContext>[];
  readonly settings: GatewaySettings;
  readonly logger: Logger;
}): DispatcherOptions<RequestContext> {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const logUpstreamFailure = (reference: string, error: unknown) => {
    const now = performance.now();
    if (now - loggedAt < upstreamLogMs) return;
    loggedAt = now;
    logger.warn({ reference, causes: errorChain(error) }, 'an upstream or a store failed a request');
  };
  return {
    methods,
    scheduler: eventLoop,
    signal: ({ signal }) => signal,
    limits: { bodyBytesMax: settings.CAIRN_RPC_BODY_BYTES_MAX },
    reference: () => randomUUID(),
    errorFrom(error, reference) {
      const known = rpcErrorFrom(error);
      if (known === undefined || known.rpcCode === -32603) {
        logger.error(
          { reference, causes: errorChain(error), stack: error instanceof Error ? error.stack : undefined },
          'method failed',
        );
      }
      if (isForOperator(error)) logUpstreamFailure(reference, error);
      return known;
    },
    authorize,
    admit: (method, { meter }) => meter.admit(method),
    onCall: (call, { meter }) => meter.recordCall(call),
    unknownMethod: (name) =>
      writes.test(name)
        ? 'This gateway has no accounts and signs nothing. Send signed transactions with eth_sendRawTransaction.'
        : 'METHODS.md lists the methods.',
  };
}
