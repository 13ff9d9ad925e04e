import { jest } from '@jest/globals';

/**
 * Repeats a failed test once in CI, after the other tests of its file. The first error is printed, and `npm test` counts
 * these tests in its closing lines, so that a race stays visible without refusing a change that did not cause it.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
