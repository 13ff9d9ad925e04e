import { AttemptFailure, type BroadcastOutcome, type UpstreamCall } from '@cairn/upstream';
import { describe, expect, test } from '@jest/globals';
import { type Broadcaster, broadcastTransaction } from './broadcast-transaction.ts';

const hash = `0x${'ab'.repeat(32)}` as const;
const refused = (message: string) => new AttemptFailure('refused', message, { rpcCode: -32000 });
const failed = (message: string) => new AttemptFailure('failed', message);

/** A pool whose upstreams have these outcomes: a hash, a failure, or no answer until the returned function is called. */
function poolOf(...answers: readonly (string | AttemptFailure | 'silent')[]) {
  const sent: UpstreamCall<unknown>[] = [];
  let release: () => void = () => {};
  const silence = new Promise<void>((resolve) => {
    release = resolve;
  });
  const pool: Broadcaster = {
    async broadcast<T>(
      call: UpstreamCall<T>,
      { onOutcome }: { onOutcome?: (outcome: BroadcastOutcome<T>) => void } = {},
    ) {
      sent.push(call);
      return Promise.all(
        answers.map(async (answer, index): Promise<BroadcastOutcome<T>> => {
          const upstream = `node-${index}.example:443`;
          if (answer === 'silent') await silence;
          const failure =
            answer instanceof AttemptFailure ? answer : answer === 'silent' ? failed('timeout') : undefined;
          const outcome = failure ? { upstream, failure } : { upstream, value: await call.parse(answer) };
          onOutcome?.(outcome);
          return outcome;
        }),
      );
    },
  };
  return { pool, sent, release };
}

const send = (pool: Broadcaster) => broadcastTransaction(pool, '0x02', hash);
const error = (rpcCode: number, message: string) =>
  expect.objectContaining({ rpcCode, message: expect.stringContaining(message) });

describe('broadcastTransaction', () => {
  test('resolves when one upstream accepts, while others are silent', async () => {
    const { pool, sent, release } = poolOf('silent', hash, refused('nonce too low'));
    await send(pool);
    expect(sent).toMatchObject([{ method: 'eth_sendRawTransaction', params: ['0x02'] }]);
    release();
  });

  test.each([
    'already known',
    'AlreadyKnown',
    'ALREADY_EXISTS: already known',
    'Known transaction',
    'transaction already imported',
  ])('counts %j as accepted', async (text) => {
    await send(poolOf(refused('nonce too low'), refused(text)).pool);
  });

  test('accepts the hash in any case, and refuses another hash', async () => {
    await send(poolOf(hash.toUpperCase().replace('0X', '0x')).pool);
    await expect(send(poolOf(`0x${'cd'.repeat(32)}`).pool)).rejects.toMatchObject({ code: 'UPSTREAM_ANSWER_INVALID' });
  });

  test('when all refuse, the error has the text of the first and each reason, and no host or URL', async () => {
    const { pool } = poolOf(
      refused('replacement transaction underpriced'),
      refused('see https://node.example/v3/SECRET now'),
    );
    const thrown = send(pool);
    await expect(thrown).rejects.toEqual(error(-32000, 'replacement transaction underpriced. 2 upstreams'));
    await expect(thrown).rejects.toMatchObject({
      data: {
        hash,
        upstreams: [
          { kind: 'refused', message: 'replacement transaction underpriced', code: -32000 },
          { kind: 'refused', message: 'see (URL) now' },
        ],
      },
    });
    const text = await thrown.catch(({ data }: { readonly data: unknown }) => JSON.stringify(data));
    expect(text).not.toContain('example');
  });

  test.each([
    ['a timeout', failed('timeout')],
    ['a broken connection', failed('ECONNRESET')],
    ['status 502', failed('status 502')],
    ['an internal error', new AttemptFailure('failed', 'internal error', { rpcCode: -32603 })],
    ['a wrong hash', new AttemptFailure('wrong', 'the hash differs')],
  ])('after %s beside a refusal, the outcome is unknown', async (_, failure) => {
    await expect(send(poolOf(refused('nonce too low'), failure).pool)).rejects.toEqual(
      error(-32010, 'it may still be mined'),
    );
    await expect(send(poolOf(failure).pool)).rejects.toMatchObject({ rpcCode: -32010, data: { hash } });
  });

  test('a request that did not reach an upstream is certain', async () => {
    const unsent = ['ECONNREFUSED', 'ENOTFOUND', 'status 401'].map(failed);
    await expect(send(poolOf(...unsent, refused('nonce too low')).pool)).rejects.toEqual(
      error(-32000, 'nonce too low'),
    );
    await expect(send(poolOf(...unsent).pool)).rejects.toEqual(error(-32000, 'the transaction was not sent'));
    await expect(send(poolOf(new AttemptFailure('limited', 'status 429')).pool)).rejects.toEqual(
      error(-32000, 'was not sent'),
    );
    await expect(send(poolOf().pool)).rejects.toEqual(error(-32000, 'was not sent'));
  });
});
