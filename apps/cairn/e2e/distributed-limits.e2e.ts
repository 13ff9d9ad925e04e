import { test } from '@jest/globals';
import { engineProgram, howToEnableEngine } from '../../../tools/engines/index.mjs';

// Runs three suites against processes without a common directory, which start once.
const missing = (['postgres', 'redis', 's3'] as const).filter((name) => engineProgram(name) === undefined);
if (missing.length === 0) {
  process.env.TEST_FORM = 'distributed';
  await import('./limits.e2e.ts');
  await import('./revocation.e2e.ts');
  await import('./usage.e2e.ts');
} else {
  for (const name of missing) console.log(howToEnableEngine(name));
  test.skip('three gateways and three storage processes share the limits of an account', () => {});
}
