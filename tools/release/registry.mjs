// A local registry: stores packages that are published to it, and proxies the npm registry for others.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runServer } from 'verdaccio';

/**
 * Starts a registry with files under `directory`. Resolves with its address, with the path of an npmrc that allows
 * anonymous publishing, and with a function that closes it.
 */
export async function startRegistry(directory) {
  const server = await runServer({
    configPath: join(directory, 'verdaccio.yaml'),
    self_path: join(directory, 'verdaccio.yaml'),
    storage: join(directory, 'storage'),
    uplinks: {
      npm: { url: process.env.npm_config_registry ?? 'https://registry.npmjs.org/', maxage: '1d', cache: false },
    },
    packages: {
      '@cairn/*': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'npm' },
    },
    max_body_size: '64mb',
    log: { type: 'stderr', format: 'pretty', level: 'fatal' },
    web: { enable: false },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${server.address().port}`;
  const npmrc = join(directory, 'npmrc');
  // npm requires a token; this registry checks none.
  writeFileSync(
    npmrc,
    `registry=http://${host}/\n//${host}/:_authToken=anybody\naudit=false\nfund=false\nupdate-notifier=false\n`,
  );
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://${host}/`, npmrc, close };
}
