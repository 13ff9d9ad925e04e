// Client that adds files of 4 KiB and requests blocks, one of each at a time, until the end.
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { storage, gateway, end } = workerData;
/** Pause between requests of one kind in milliseconds. */
const pauseMs = 10;
/** A longer request counts as unanswered. */
const answerWithinMs = 30_000;
const boundary = 'victim';

const agent = new Agent({ keepAlive: true, maxSockets: 2 });

const kinds = {
  add(n) {
    const start = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    const content = Buffer.alloc(4096, n % 251);
    content.writeUInt32BE(n);
    content.writeDoubleBE(end, 8);
    return {
      port: storage.port,
      path: '/api/v0/add?pin=true',
      headers: { authorization: storage.authorization, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: Buffer.concat([Buffer.from(start), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
      isRight: (text) => /"Hash":"\w+"/.test(text),
    };
  },
  block: (n) => ({
    port: gateway.port,
    path: `/v3/${gateway.key}`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(
      `{"jsonrpc":"2.0","id":${n},"method":"eth_getBlockByNumber","params":["0x${(n % 24).toString(16)}",true]}`,
    ),
    isRight: (text) => text.includes('"result":{'),
  }),
};

const outcomes = await Promise.all(Object.values(kinds).map(run));
parentPort.postMessage(Object.fromEntries(Object.keys(kinds).map((name, at) => [name, outcomes[at]])));
agent.destroy();

async function run(make) {
  const latencies = [];
  const failures = [];
  for (let n = 0; Date.now() < end; n++) {
    const start = performance.now();
    const failure = await ask(make(n)).catch((error) => error.message);
    if (failure === undefined) latencies.push(performance.now() - start);
    else failures.push(failure);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return { latencies: latencies.sort((one, other) => one - other), failures };
}

/** Resolves with the fault of the answer, or nothing. */
function ask({ port, path, headers, body, isRight }) {
  return new Promise((resolve, reject) => {
    const fields = { ...headers, 'content-length': body.length };
    const sent = request({
      agent,
      port,
      path,
      method: 'POST',
      host: '127.0.0.1',
      headers: fields,
      timeout: answerWithinMs,
    });
    sent.once('timeout', () => sent.destroy(new Error(`no answer in ${answerWithinMs} ms`)));
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.once('end', () => {
        const isGood = response.statusCode === 200 && isRight(text);
        resolve(isGood ? undefined : `${response.statusCode} ${text.slice(0, 300)}`);
      });
      response.once('error', reject);
    });
    sent.end(body);
  });
}
