import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';

/** Credentials of the test server. */
export const s3Credentials = { accessKeyId: 'cairntest', secretAccessKey: 'cairntestsecret' };

/** Reports whether the server answers: it refuses requests without a signature. */
export async function isS3Ready(port) {
  return (await fetch(`http://127.0.0.1:${port}/`)).status === 403;
}

/**
 * Returns what tests use of a server with the bucket `cairn`.
 * @param {object} options
 * @param {string} options.home directory that is removed with the server
 * @param {number} options.port port of its S3 interface
 * @param {{ child: import('node:child_process').ChildProcess, stop: () => Promise<void> }} options.server the running server
 * @param {() => Promise<typeof options.server>} options.start starts it again on the same ports and data
 */
export function s3Server({ home, port, server, start }) {
  let running = server;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    ...s3Credentials,
    get child() {
      return running.child;
    },
    /** URL of an empty object store. It is a new prefix, since each bucket of SeaweedFS reserves several volumes. */
    createStore: () =>
      `s3://cairn/${randomBytes(6).toString('hex')}?endpoint=http://127.0.0.1:${port}&region=us-east-1`,
    kill: () => running.child.kill('SIGKILL'),
    /** Starts it again after `kill`, on the same ports and data. */
    async start() {
      running = await start();
    },
    pause: () => running.child.kill('SIGSTOP'),
    resume: () => running.child.kill('SIGCONT'),
    async stop() {
      // SeaweedFS ignores SIGTERM for seconds, and the files are removed anyway.
      running.child.kill('SIGKILL');
      await running.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
