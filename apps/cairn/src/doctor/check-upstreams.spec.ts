import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { CommandSettings } from '../settings.ts';
import { checkUpstreams } from './check-upstreams.ts';

let directory: string;
let server: Server;
let answer: { body: string; headers?: Record<string, string> };

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-doctor-'));
  answer = { body: '{"jsonrpc":"2.0","id":1,"result":"0x2a"}' };
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, answer.headers ?? {}).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(directory, { recursive: true });
});

async function check(url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key`) {
  const file = join(directory, 'networks.json');
  const network = { name: 'test', hosts: ['*'], chainId: 42, upstreams: [url], head: { trusted: true } };
  writeFileSync(file, JSON.stringify({ networks: [network] }));
  const findings = await checkUpstreams({ CAIRN_NETWORKS: file } as CommandSettings);
  expect(JSON.stringify(findings)).not.toContain('secret-key');
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

describe('checkUpstreams', () => {
  test('an upstream with the chain ID of the network is good', async () => {
    expect(await check()).toMatchObject({ upstreams: { state: 'good' }, clock: { state: 'good' } });
  });

  test('another chain, an answer without a chain ID and a closed port are faults without the key of the URL', async () => {
    answer.body = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';
    expect((await check()).upstreams).toMatchObject({ state: 'fault', text: expect.stringContaining('chain 1') });
    for (const body of ['<html>', '{}', 'null', '{"result":{}}', `{"result":"0x${'1'.repeat(100_000)}"}`]) {
      answer.body = body;
      expect((await check()).upstreams).toMatchObject({ state: 'fault' });
    }
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key`;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const closed = (await check(url)).upstreams;
    expect(closed).toMatchObject({ state: 'fault', text: expect.stringMatching(/no answer \(\w+\)/) });
  });

  test('a clock that differs by an hour is a fault', async () => {
    answer.headers = { date: new Date(Date.now() - 3_600_000).toUTCString() };
    expect((await check()).clock).toMatchObject({ state: 'fault', text: expect.stringMatching(/ 360\d s ahead /) });
  });
});
