import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFree } from '../peers/free-port.mjs';
import { startServer } from '../peers/process.mjs';
import { engineProgram, isVersitygw } from './programs.mjs';
import { isS3Ready, s3Credentials, s3Server } from './s3-server.mjs';
import { startVersitygw } from './versitygw.mjs';

/**
 * Starts an S3 server on free loopback ports, over a temporary directory: SeaweedFS, or versitygw with `TEST_S3=versitygw`.
 * @returns its endpoint, region, child process and what stops it; undefined where it is not installed
 */
export async function startS3() {
  const command = engineProgram('s3');
  if (command === undefined) return undefined;
  return isVersitygw ? await startVersitygw(command) : await startSeaweedfs(command);
}

async function startSeaweedfs(command) {
  const home = mkdtempSync(join(tmpdir(), 'cairn-s3-'));
  const data = join(home, 'data');
  mkdirSync(data);
  const identity = {
    name: 'cairn',
    credentials: [{ accessKey: s3Credentials.accessKeyId, secretKey: s3Credentials.secretAccessKey }],
    actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
  };
  const config = join(home, 's3.json');
  writeFileSync(config, JSON.stringify({ identities: [identity] }));
  let [master, volume, filer, s3] = await portsWithNeighbours(4);
  const start = () =>
    startServer({
      name: 'seaweedfs',
      command,
      args: [
        ...['server', `-dir=${data}`, '-ip=127.0.0.1', '-ip.bind=127.0.0.1', `-master.port=${master}`],
        ...[
          `-volume.port=${volume}`,
          '-volume.max=16',
          '-master.volumeSizeLimitMB=256',
          '-filer',
          `-filer.port=${filer}`,
        ],
        ...['-s3', `-s3.port=${s3}`, `-s3.config=${config}`, '-s3.iam=false', '-s3.port.iceberg=0'],
        ...[
          '-s3.port.lance=0',
          `-s3.localSocket=${join(home, 's3.sock')}`,
          `-filer.localSocket=${join(home, 'filer.sock')}`,
        ],
        '-volume.preStopSeconds=0',
      ],
      isReady: () => isS3Ready(s3),
    });
  let server;
  for (let tries = 1; server === undefined; tries++) {
    server = await start().catch(async (error) => {
      // Another process took a port between its choice and its use.
      if (tries === 3 || !error.message.includes('address already in use')) throw error;
      rmSync(data, { recursive: true, force: true });
      mkdirSync(data);
      [master, volume, filer, s3] = await portsWithNeighbours(4);
    });
  }
  const { ok, status } = await fetch(`http://127.0.0.1:${filer}/buckets/cairn/`, { method: 'POST' });
  if (!ok) throw new Error(`SeaweedFS created no bucket (status ${status})`);
  return s3Server({ home, port: s3, server, start });
}

/** Offset of the gRPC port of each SeaweedFS server. */
const grpcOffset = 10_000;

/** Finds free ports whose gRPC port is free as well. Both are below the range of outgoing connections (see free-port.mjs). */
async function portsWithNeighbours(count) {
  const found = [];
  for (let port = 10_000 + Math.floor(Math.random() * 11_000); found.length < count; port++)
    if ((await isFree(port)) && (await isFree(port + grpcOffset))) found.push(port);
  return found;
}
