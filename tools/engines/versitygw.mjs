import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../peers/free-port.mjs';
import { startServer } from '../peers/process.mjs';

/** Credentials of the test server. */
const credentials = { accessKeyId: 'cairntest', secretAccessKey: 'cairntestsecret' };

/**
 * Starts versitygw, which keeps objects as files, over a temporary directory.
 * @param {string} command path of the program
 * @returns the same as `startS3`
 */
export async function startVersitygw(command) {
  const home = mkdtempSync(join(tmpdir(), 'cairn-s3-'));
  const [data, attributes] = [join(home, 'data'), join(home, 'attributes')];
  // A directory of the data is a bucket.
  mkdirSync(join(data, 'cairn'), { recursive: true });
  mkdirSync(attributes);
  const port = await freePort();
  const { accessKeyId, secretAccessKey } = credentials;
  const start = () =>
    startServer({
      name: 'versitygw',
      command,
      args: [
        ...[
          '--port',
          `127.0.0.1:${port}`,
          '--access',
          accessKeyId,
          '--secret',
          secretAccessKey,
          '--quiet',
          '--keep-alive',
        ],
        ...['posix', '--sidecar', attributes, data],
      ],
      isReady: async () => (await fetch(`http://127.0.0.1:${port}/`)).status === 403,
    });
  let server = await start();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    ...credentials,
    get child() {
      return server.child;
    },
    /** URL of an empty object store. */
    createStore: () =>
      `s3://cairn/${randomBytes(6).toString('hex')}?endpoint=http://127.0.0.1:${port}&region=us-east-1`,
    kill: () => server.child.kill('SIGKILL'),
    /** Starts it again after `kill`, on the same port and data. */
    async start() {
      server = await start();
    },
    pause: () => server.child.kill('SIGSTOP'),
    resume: () => server.child.kill('SIGCONT'),
    async stop() {
      server.child.kill('SIGKILL');
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
