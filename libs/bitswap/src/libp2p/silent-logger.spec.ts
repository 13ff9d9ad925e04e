import { expect, test } from '@jest/globals';
import { silentLogger } from './silent-logger.ts';

test('every scope of the silent logger is the same one, and is disabled', () => {
  const log = silentLogger.forComponent('a');
  expect(log.newScope('b')).toBe(silentLogger.forComponent('c'));
  expect(log.enabled).toBe(false);
  for (const write of [log, log.error, log.trace]) expect(write('text %s', 'x')).toBeUndefined();
});
