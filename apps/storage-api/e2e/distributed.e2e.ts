import { test } from '@jest/globals';
import { engineProgram, howToEnableEngine } from '../../../tools/engines/index.mjs';

// A short selection of the suites in the distributed form. `npm run e2e:distributed` runs all of them.
const missing = (['postgres', 'redis', 's3'] as const).filter((name) => engineProgram(name) === undefined);
if (missing.length === 0) {
  process.env.TEST_FORM = 'distributed';
  await import('./kubo-client.e2e.ts');
} else {
  for (const name of missing) console.log(howToEnableEngine(name));
  test.skip('three processes without a common directory serve Kubo clients', () => {});
}
