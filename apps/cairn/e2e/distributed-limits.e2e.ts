import { test } from '@jest/globals';
import { engineProgram, howToEnableEngine } from '../../../tools/engines/index.mjs';

// Runs the suite against processes without a common directory.
const missing = (['postgres', 'redis', 's3'] as const).filter((name) => engineProgram(name) === undefined);
if (missing.length === 0) {
  process.env.TEST_FORM = 'distributed';
  await import('./limits.e2e.ts');
} else {
  for (const name of missing) console.log(howToEnableEngine(name));
  test.skip('three gateways and three storage processes share the limits of an account', () => {});
}
