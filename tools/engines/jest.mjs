import { afterAll, beforeAll, describe } from '@jest/globals';
import { startPostgres } from './postgres.mjs';
import { engineProgram, howToEnableEngine } from './programs.mjs';

/**
 * Declares tests that need a PostgreSQL server. Without the program they are skipped, with one line.
 * @param {string} title
 * @param {(server: () => object) => void} tests `server` returns the running server, from within a test
 */
export function describeWithPostgres(title, tests) {
  const isInstalled = engineProgram('postgres') !== undefined;
  if (!isInstalled) console.log(howToEnableEngine('postgres'));
  (isInstalled ? describe : describe.skip)(title, () => {
    let server;
    beforeAll(async () => {
      server = await startPostgres();
    }, 60_000);
    afterAll(() => server.remove());
    tests(() => server);
  });
}
