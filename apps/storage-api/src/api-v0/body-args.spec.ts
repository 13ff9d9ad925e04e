import { expect, test } from '@jest/globals';
import { hasBodyArgs } from './body-args.ts';

const form = { headers: { 'content-type': 'multipart/form-data; boundary=x' } };
const args = { name: 'x', min: 1, max: 1 };

// Kubo's commands whose argument has EnableStdin.
test.each(['cid/inspect', 'key/rm', 'name/publish', 'swarm/filters/add', 'swarm/filters/rm'])(
  '%s takes its argument from the body',
  (name) => {
    expect(hasBodyArgs({ name, args }, [], form)).toBe(true);
    expect(hasBodyArgs({ name, args }, [], { headers: {} })).toBe(false);
  },
);

test('a single argument of the query is not followed by others of the body', () => {
  expect(hasBodyArgs({ name: 'name/publish', args }, ['/ipfs/x'], form)).toBe(false);
  expect(hasBodyArgs({ name: 'key/rm', args }, ['one'], form)).toBe(true);
  expect(hasBodyArgs({ name: 'name/resolve', args }, [], form)).toBe(false);
});
