import { expect, test } from '@jest/globals';
import { formatGoDuration } from './format-go-duration.ts';

// Output of Go's fmt.Sprint for time.Duration.
test.each([
  [0, '0s'],
  [7, '7ms'],
  [250, '250ms'],
  [1_500, '1.5s'],
  [5_000, '5s'],
  [60_000, '1m0s'],
  [61_005, '1m1.005s'],
  [3_600_000, '1h0m0s'],
])('%i ms are %s', (milliseconds, text) => {
  expect(formatGoDuration(milliseconds)).toBe(text);
});
