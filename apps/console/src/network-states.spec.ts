import type { Network } from '@cairn/chain-store';
import { expect, test } from '@jest/globals';
import { NetworkStates } from './network-states.ts';
import type { Upstream } from './upstream.ts';

const network = { name: 'sample', hosts: ['sample.localhost'] } as unknown as Network;

test('a gateway that does not answer makes its networks unreachable instead of a page that waits', async () => {
  let accounted: string | undefined;
  const gateway: Upstream['gateway'] = (_account, _host, _body, { payer, signal } = {}) => {
    accounted = payer;
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  };
  const [state] = await new NetworkStates([network], { gateway }).list('acc_1');
  expect(state).toMatchObject({ name: 'sample', error: 'The gateway cannot be reached.' });
  expect(accounted).toBe('service');
}, 30_000);
