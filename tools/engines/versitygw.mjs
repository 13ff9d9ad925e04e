import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../peers/free-port.mjs';
import { startServer } from '../peers/process.mjs';
import { isS3Ready, s3Credentials, s3Server } from './s3-server.mjs';

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
  const { accessKeyId, secretAccessKey } = s3Credentials;
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
      isReady: () => isS3Ready(port),
    });
  return s3Server({ home, port, server: await start(), start });
}
