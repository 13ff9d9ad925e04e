// The same services embedded and on PostgreSQL, Redis and an S3 server, alternately.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openS3ObjectStore } from '@cairn/object-store/s3';
import { howToEnableEngine, startPostgres, startRedis, startS3 } from '../engines/index.mjs';
import { freePort } from '../peers/free-port.mjs';
import { counter, measureRate, postRequest } from './lib/measure-rate.mjs';
import { servicePid, startServices } from './lib/services.mjs';

const sample = JSON.parse(readFileSync(new URL('../sample-network/network/contracts.json', import.meta.url), 'utf8'));
const MiB = 1024 * 1024;
const json = { 'content-type': 'application/json' };
const boundary = 'cairn-bench';

/** Goals of the distributed form, as ratios to the embedded one. */
const cases = {
  eth_chainId: { service: 'rpc-gateway', goal: 0.95, request: rpc('eth_chainId', []) },
  'eth_call of balanceOf, distinct': {
    service: 'rpc-gateway',
    goal: 0.95,
    request: rpc('eth_call', [
      {
        from: sample.accounts.alice,
        to: sample.contracts.Token.address,
        data: `0x${sample.contracts.Token.selectors['balanceOf(address)']}${'0'.repeat(48)}${counter}`,
      },
      'latest',
    ]),
  },
  'cat of 256 KiB, warm': { service: 'storage-api', goal: 0.9, connections: 8, request: catRequest },
  'add of 4 KiB, 64 clients': { service: 'storage-api', connections: 64, request: addRequest },
};

/** Prints the ratio of rates and of processor time for each request, with the spread over the rounds. */
export async function benchEngines({ home, rounds, seconds, mebibytes, only }) {
  const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()]);
  const directory = mkdtempSync(join(home, '.cairn-bench-engines-'));
  const services = {};
  try {
    if (!postgres || !redis || !s3)
      throw new Error(howToEnableEngine(!postgres ? 'postgres' : !redis ? 'redis' : 's3'));
    const engines = {
      CAIRN_DATABASE_URL: await postgres.createDatabase(),
      CAIRN_REDIS_URL: redis.url,
      CAIRN_OBJECT_STORE: s3.createStore(),
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
      CAIRN_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      CAIRN_BLOCK_CACHE_BYTES: String(1024 * MiB),
    };
    for (const [form, settings] of Object.entries({ embedded: {}, distributed: engines })) {
      mkdirSync(join(directory, form));
      // More adds at a time than 64 clients send.
      const all = { CAIRN_UPLOADS_MAX: '1000', ...settings };
      services[form] = await startServices(join(directory, form), all, await freePorts());
    }
    for (const [name, one] of Object.entries(cases))
      if (only === undefined || name.includes(only)) await benchCase(name, one, services, { rounds, seconds });
    if (only === undefined || 'add of one file'.includes(only))
      await benchLargeAdd(services, s3, { rounds, mebibytes });
  } finally {
    await Promise.all(Object.values(services).map((running) => running.stop()));
    await Promise.all([postgres?.remove(), redis?.stop(), s3?.stop()]);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function benchCase(name, { service, goal, request, connections = 32 }, services, { rounds, seconds }) {
  const ratios = { rate: [], processor: [] };
  let last = {};
  for (let round = 0; round <= rounds; round++) {
    const found = {};
    for (const [form, running] of Object.entries(services)) {
      const { url, bytes } = await request(running);
      const pid = servicePid(running.pid, service);
      const before = processorSeconds(pid);
      const { perSecond, count, p99 } = await measureRate(url, { request: bytes, seconds, connections });
      found[form] = { perSecond, p99, processor: (processorSeconds(pid) - before) / count };
    }
    last = found;
    // The first round warms up.
    if (round === 0) continue;
    ratios.rate.push(found.distributed.perSecond / found.embedded.perSecond);
    ratios.processor.push(found.embedded.processor / found.distributed.processor);
  }
  const { embedded, distributed } = last;
  console.log(
    `${name}: ${Math.round(distributed.perSecond)}/s (p99 ${distributed.p99.toFixed(1)} ms) beside ${Math.round(embedded.perSecond)}/s`,
  );
  report('  rate', ratios.rate, goal);
  report('  requests for each second of the service’s processor', ratios.processor, goal);
}

/** Adds one file, beside the server's own parallel PUT of as many bytes. */
async function benchLargeAdd({ embedded, distributed }, s3, { rounds, mebibytes }) {
  const objects = await openS3ObjectStore({ url: s3.createStore(), credentials: s3 });
  const ratios = { put: [], embedded: [], processor: [] };
  const processors = [embedded, distributed].map(({ pid }) => servicePid(pid, 'storage-api'));
  try {
    for (let round = 0; round < rounds; round++) {
      const before = processors.map(processorSeconds);
      const one = await secondsOf(() => addFile(embedded, mebibytes));
      const many = await secondsOf(() => addFile(distributed, mebibytes));
      const [less, more] = processors.map((pid, at) => processorSeconds(pid) - before[at]);
      const put = await secondsOf(() => putObjects(objects, mebibytes));
      console.log(
        `add of one file of ${mebibytes} MiB, MiB/s:`,
        ...[one, many, put].map(
          (seconds, at) => `${['embedded', 'distributed', 'PUT'][at]} ${Math.round(mebibytes / seconds)}`,
        ),
      );
      ratios.put.push(put / many);
      ratios.embedded.push(one / many);
      ratios.processor.push(less / more);
    }
    report('  beside parallel PUT', ratios.put, 0.6);
    report('  beside embedded', ratios.embedded);
    report('  bytes for each second of the service’s processor', ratios.processor);
  } finally {
    await objects.close();
  }
}

/** PUT of objects of 16 MiB, four at a time, as a writer of packs sends them. */
async function putObjects(objects, mebibytes) {
  const body = randomBytes(16 * MiB);
  const sha256 = createHash('sha256').update(body).digest();
  const keys = Array.from({ length: Math.ceil(mebibytes / 16) }, (_, n) => `plain/${n}`);
  const put = async () => {
    for (let key = keys.pop(); key !== undefined; key = keys.pop()) await objects.put(key, body, { sha256 });
  };
  await Promise.all([put(), put(), put(), put()]);
}

async function addFile({ storage, authorization }, mebibytes) {
  const seed = randomBytes(Math.min(1, mebibytes) * MiB);
  async function* body() {
    yield Buffer.from(head);
    for (let n = 0; n < mebibytes; n++) {
      // Each block has other bytes.
      for (let at = 0; at < seed.length; at += 65_536) seed.writeUInt32LE(n * 16 + at / 65_536, at);
      yield Buffer.from(seed);
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  const answer = await fetch(`${storage}/api/v0/add?cid-version=1`, {
    method: 'POST',
    headers: { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: body(),
    duplex: 'half',
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`add: ${answer.status} ${text}`);
  return JSON.parse(text).Hash;
}

const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`;

function rpc(method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return async ({ gateway, key }) => {
    const url = `${gateway}/v3/${key}`;
    return { url, bytes: postRequest(url, { headers: json, body }) };
  };
}

async function catRequest(running) {
  running.cid ??= await addFile(running, 0.25);
  const url = `${running.storage}/api/v0/cat?arg=${running.cid}`;
  return { url, bytes: postRequest(url, { headers: { authorization: running.authorization } }) };
}

async function addRequest({ storage, authorization }) {
  const url = `${storage}/api/v0/add?cid-version=1`;
  const body = `${head}${counter}${'x'.repeat(4096 - counter.length)}\r\n--${boundary}--\r\n`;
  const headers = { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` };
  return { url, bytes: postRequest(url, { headers, body }) };
}

/** Other benches may run beside this one. */
async function freePorts() {
  const [storage, gateway, consolePort, ipfs] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  return { storage, gateway, console: consolePort, ipfs };
}

function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function secondsOf(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function report(name, ratios, goal) {
  const sorted = [...ratios].sort((one, other) => one - other);
  const shown = [sorted[Math.floor(sorted.length / 2)], sorted[0], sorted.at(-1)].map((ratio) => ratio.toFixed(2));
  console.log(
    `${name.padEnd(56)} ${shown[0]} (${shown[1]} to ${shown[2]})${goal === undefined ? '' : `, goal ${goal}`}`,
  );
}
