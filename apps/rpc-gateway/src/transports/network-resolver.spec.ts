import { RpcError } from '@cairn/jsonrpc-core';
import { expect, test } from '@jest/globals';
import type { ChainLifecycle } from '../chains/chain-lifecycle.ts';
import type { Networks } from '../chains/networks.ts';
import { NetworkResolver } from './network-resolver.ts';

const networks = {
  byHost: () => {
    throw new RpcError('notFound', 'No network is served under the host "x".');
  },
} as unknown as Networks;

test('resolve refuses requests with 503 until the networks are ready, and unknown hosts with 404', () => {
  const lifecycle: { notReady: string | undefined } = { notReady: 'the networks are being imported' };
  const resolver = new NetworkResolver(networks, lifecycle as ChainLifecycle);
  const notReady = { status: 503, rpcCode: -32002, message: 'Not ready: the networks are being imported.' };
  expect(() => resolver.resolve('x')).toThrow(
    expect.objectContaining({ ...notReady, headers: { 'retry-after': '1' } }),
  );
  lifecycle.notReady = undefined;
  expect(() => resolver.resolve('x')).toThrow(expect.objectContaining({ status: 404, rpcCode: -32001 }));
});
