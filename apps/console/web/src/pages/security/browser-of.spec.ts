import { expect, test } from '@jest/globals';
import { browserOf } from './browser-of.ts';

test('names browser and system, and other programs by their first word', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
  expect(browserOf(chrome)).toBe('Chrome on Linux');
  expect(browserOf(`${chrome} Edg/142.0`)).toBe('Edge on Linux');
  expect(browserOf('Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe(
    'Firefox on macOS',
  );
  expect(browserOf('Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36')).toBe(
    'Chrome on Android',
  );
  expect(browserOf('curl/8.5.0')).toBe('curl');
  expect([browserOf(undefined), browserOf(''), browserOf('/')]).toEqual(Array(3).fill('Unknown browser'));
});
