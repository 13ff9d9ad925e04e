import { expect, test } from '@jest/globals';
import { parseContentPath } from './parse-content-path.ts';

test.each([
  '/ipfs/bafkqaaa',
  '/ipfs/QmS63Af67cKqtAnUwWuB98aNqHFc7YgjbKG7b3HRQPMzEK/a b?',
  '/ipns/k51qzi5uqu5dlqg8rmng0sli7q0l5slqeljm7lw757dv47r6vymsscbnlpntpq/',
  '/ipns/12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA',
  '/ipns/docs.example/guide',
])('%s is a content path', (path) => {
  expect(parseContentPath(path)).toBe(path);
});

test.each([
  ['/ipfs/zzz', /"zzz" is not a CID/],
  ['/ipfs/', /is not a CID/],
  ['/ipfs//a', /is not a CID/],
  ['/ipns/zzz/a', /"zzz" is not a name/],
  ['/ipns/', /is not a name/],
  ['zzz', /Expected a path such as \/ipfs\//],
  ['', /Expected a path/],
])('%j is refused with what was expected', (path, reason) => {
  expect(() => parseContentPath(path)).toThrow(reason);
});
