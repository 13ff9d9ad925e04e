import { afterEach, expect, jest, test } from '@jest/globals';
import { answerBytes } from './fast-request.ts';

afterEach(() => {
  jest.useRealTimers();
});

test('the Date field follows a clock that is set back', () => {
  const fieldAt = (time: string) => {
    jest.useFakeTimers({ now: new Date(time) });
    const bytes = answerBytes({ status: 200, headers: {}, body: '{}' }, { keepsAlive: true, keepAliveSeconds: 5 });
    return /^Date: (.*)$/im.exec(bytes.toString('latin1'))?.[1];
  };
  expect(fieldAt('2026-11-29T12:00:00.400Z')).toBe('Sun, 29 Nov 2026 12:00:00 GMT');
  expect(fieldAt('2026-11-29T12:00:01.000Z')).toBe('Sun, 29 Nov 2026 12:00:01 GMT');
  expect(fieldAt('2026-11-29T11:00:00.999Z')).toBe('Sun, 29 Nov 2026 11:00:00 GMT');
});
