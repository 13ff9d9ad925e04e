import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { key, launchGateway } from './gateway.ts';

const certificateOptions = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost';

test('TLS_CERT and TLS_KEY enable HTTPS and WSS on the port and refuse plain text', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-tls-'));
  const [cert, privateKey] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', privateKey, '-out', cert];
  execFileSync('openssl', ['req', ...certificateOptions.split(' '), ...names], { stdio: 'ignore' });
  const gateway = await launchGateway({ env: { TLS_CERT: cert, TLS_KEY: privateKey } });
  try {
    const ca = readFileSync(cert);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
    const post = async () => {
      const sent = request(gateway.url, { ca, method: 'POST', headers: { 'content-type': 'application/json' } });
      sent.end(body);
      const [response] = await once(sent, 'response');
      let text = '';
      for await (const chunk of response) text += chunk;
      return { status: response.statusCode, body: JSON.parse(text) };
    };
    let answer = await post();
    while (answer.status === 503) answer = await post();
    expect(answer).toMatchObject({ status: 200, body: { result: '0x2e3d1f0' } });

    const [page] = await once(request(new URL('/livez', gateway.url), { ca }).end(), 'response');
    page.resume();
    expect(page.headers['strict-transport-security']).toBe('max-age=31536000');

    const socket = new WebSocket(gateway.webSocketUrl, { ca });
    await once(socket, 'open');
    const answered = once(socket, 'message');
    socket.send(body);
    expect(JSON.parse(String((await answered)[0]))).toMatchObject({ result: '0x2e3d1f0' });
    socket.terminate();

    await expect(fetch(`http://127.0.0.1:${gateway.port}/v3/${key}`)).rejects.toThrow();
  } finally {
    await gateway.stop();
    rmSync(directory, { recursive: true });
  }
});
