import { expect, test } from '@jest/globals';
import { OpeningGate } from './opening-gate.ts';

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an opening waits for running transactions, and later transactions wait for it', async () => {
  const gate = new OpeningGate();
  const order: string[] = [];
  const [first, second] = [deferred(), deferred()];
  const step =
    (name: string, until: Promise<void> = Promise.resolve()) =>
    async () => {
      order.push(name);
      await until;
    };
  const running = [
    gate.transaction(step('transaction 1', first.promise)),
    gate.transaction(step('transaction 2', first.promise)),
    gate.open(step('opening 1', second.promise)),
    gate.open(step('opening 2')),
    gate.transaction(step('transaction 3')),
  ];
  await turn();
  expect(order).toEqual(['transaction 1', 'transaction 2']);
  first.resolve();
  await turn();
  expect(order.slice(2)).toEqual(['opening 1']);
  second.resolve();
  await Promise.all(running);
  expect(order.slice(3)).toEqual(['opening 2', 'transaction 3']);
});

test('what follows an opening in the same turn is part of it', async () => {
  const gate = new OpeningGate();
  const order: string[] = [];
  const opened = (async () => {
    await gate.open(async () => {});
    await Promise.resolve();
    order.push('databases');
  })();
  const transaction = gate.transaction(async () => void order.push('transaction'));
  await Promise.all([opened, transaction]);
  expect(order).toEqual(['databases', 'transaction']);
});

test('errors of openings and transactions are passed on, and end them', async () => {
  const gate = new OpeningGate();
  const failure = async () => {
    throw new Error('refused');
  };
  await expect(gate.open(failure)).rejects.toThrow('refused');
  await expect(gate.transaction(failure)).rejects.toThrow('refused');
  expect(await gate.open(async () => 'opened')).toBe('opened');
});
