import { currentLane } from '@cairn/upstream';
import { expect, test } from '@jest/globals';
import { inAccountLane } from './handle-over-upstreams.ts';

function contextOf(id: string) {
  const charged: string[] = [];
  const recorded: [string, number][] = [];
  const meter = {
    chargeUpstreamCall: () => void charged.push(id),
    recordUpstreamCalls: (method: string, calls: number) => void recorded.push([method, calls]),
  };
  const context = { meter, principal: { account: { id } } } as unknown as Parameters<typeof inAccountLane>[1];
  return { context, charged, recorded };
}

test('the calls of a method belong to the lane of its account, and are recorded also when it fails', async () => {
  const { context, charged, recorded } = contextOf('account');
  const work = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    expect(currentLane()?.name).toBe('account');
    for (let call = 0; call < 3; call++) currentLane()?.onCall?.();
    throw new Error('no answer');
  };
  await expect(inAccountLane('eth_call', context, work)).rejects.toThrow('no answer');
  expect([charged.length, recorded]).toEqual([3, [['eth_call', 3]]]);
});

test('calls of work that outlives its method are not charged', async () => {
  const { context, charged } = contextOf('account');
  let late = () => {};
  await inAccountLane('eth_subscribe', context, () => {
    const lane = currentLane();
    late = () => lane?.onCall?.();
  });
  late();
  expect(charged).toEqual([]);
});
