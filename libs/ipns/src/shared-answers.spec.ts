import { expect, test } from '@jest/globals';
import { SharedAnswers } from './shared-answers.ts';

/** Two processes of a service. Their messages wait for `deliver`. */
function twoProcesses(isNewer?: (value: string, than: string) => boolean) {
  const listeners: ((value: unknown) => unknown)[] = [];
  const sent: { readonly from: number; readonly value: unknown }[] = [];
  let now = 0;
  const processes = [0, 1].map(
    (at) =>
      new SharedAnswers<string>({
        ...{ topic: 'answers', namesMax: 2, now: () => now, ...(isNewer && { isNewer }) },
        channel: {
          publish: (_, value) => void sent.push({ from: at, value }),
          subscribe: (_, listener) => void listeners.push(listener),
        },
      }),
  );
  const deliver = () => {
    for (const { from, value } of sent.splice(0)) listeners[1 - from]?.(value);
  };
  const values = (name: string) => processes.map((answers) => answers.get(name)?.value);
  const [first, second] = processes as [SharedAnswers<string>, SharedAnswers<string>];
  const at = (ms: number) => {
    now = ms;
  };
  return { first, second, deliver, values, at };
}

test('an answer of one process is used by the other until it expires', () => {
  const { first, deliver, values, at } = twoProcesses();
  first.set('a', { value: '1', untilMs: 10 });
  deliver();
  expect(values('a')).toEqual(['1', '1']);
  at(10);
  expect(values('a')).toEqual([undefined, undefined]);
});

test('processes that search concurrently keep the same answer', () => {
  const longest = twoProcesses();
  longest.first.set('a', { value: '1', untilMs: 10 });
  longest.second.set('a', { value: '2', untilMs: 11 });
  longest.deliver();
  expect(longest.values('a')).toEqual(['2', '2']);
  const newest = twoProcesses((value, than) => value > than);
  newest.first.set('a', { value: '2', untilMs: 10 });
  newest.second.set('a', { value: '1', untilMs: 11 });
  newest.deliver();
  expect(newest.values('a')).toEqual(['2', '2']);
});

test('a search that found nothing does not replace a value that has not expired', () => {
  const { first, second, deliver, values } = twoProcesses();
  first.set('a', { value: undefined, untilMs: 20 });
  second.set('a', { value: '1', untilMs: 10 });
  first.set('b', { value: '1', untilMs: 10 });
  deliver();
  second.set('b', { value: undefined, untilMs: 30 });
  deliver();
  expect([values('a'), values('b')]).toEqual([
    ['1', '1'],
    ['1', '1'],
  ]);
});

test('the oldest answer leaves a full memory', () => {
  const { first, values } = twoProcesses();
  for (const name of ['a', 'b', 'c']) first.set(name, { value: name, untilMs: 10 });
  expect(['a', 'b', 'c'].map((name) => values(name)[0])).toEqual([undefined, 'b', 'c']);
});
