import { pinRequestStatuses } from '@cairn/pinning';
import { expect, test } from '@jest/globals';
import { parsePinFilter } from './pin-filter.ts';

test.each([
  ['', ['pinned']],
  ['name=a', ['pinned']],
  ['match=exact', ['pinned']],
  ['status=failed,queued', ['failed', 'queued']],
  // Search of the compliance suite, for a request that cannot be pinned.
  ['name=a&match=exact', pinRequestStatuses],
  ['name=a&match=ipartial&status=pinning', ['pinning']],
])('the query %j lists requests with the statuses %j', (query, statuses) =>
  expect([...parsePinFilter(new URLSearchParams(query)).statuses]).toEqual(statuses),
);
