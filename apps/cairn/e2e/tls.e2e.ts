// Services with their own TLS settings: malformed, outdated, slow and repeated handshakes.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { services } from '../src/workspace.ts';
import { Cairn } from './cairn.ts';

const cairn = new Cairn();
const names = ['storage-api', 'rpc-gateway', 'console'] as const;
const running = new Map<string, { readonly service: RunningService; readonly port: number }>();
let ca: Buffer;

beforeAll(async () => {
  const [cert, key] = [join(cairn.home, 'cert.pem'), join(cairn.home, 'key.pem')];
  const options = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost';
  const files = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', ...options.split(' '), ...files], { stdio: 'ignore' });
  ca = readFileSync(cert);
  for (const name of names) {
    const service = await startService({
      main: services[name],
      home: cairn.home,
      env: { TLS_CERT: cert, TLS_KEY: key },
    });
    running.set(name, { service, port: Number(new URL(service.url).port) });
  }
});
afterAll(async () => {
  await Promise.all([...running.values()].map(({ service }) => service.stop()));
  cairn.remove();
});

/** Resolves with the bytes that a connection received before it was closed. */
async function closed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.on('error', () => {});
  if (!socket.destroyed) await once(socket, 'close');
  return text;
}

async function livez(port: number, more: object = {}): Promise<number> {
  const [answer] = await once(request({ host: '127.0.0.1', port, path: '/livez', ca, ...more }).end(), 'response');
  answer.resume();
  return answer.statusCode;
}

describe.each(names)('%s', (name) => {
  const port = () => running.get(name)?.port ?? 0;

  test('closes a connection without a handshake, without an answer', async () => {
    for (const text of ['GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n', '\x16\x03\x01\xff\xff', '\0'.repeat(100)]) {
      const socket = connectPlain(port(), '127.0.0.1');
      socket.end(text, 'latin1');
      expect(await closed(socket)).not.toContain('HTTP/1.1');
    }
    expect(await livez(port())).toBe(200);
  });

  test('refuses TLS before 1.2', async () => {
    const socket = connect({ port: port(), host: '127.0.0.1', ca, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' });
    const [error] = await once(socket, 'error');
    expect(String(error)).toMatch(/protocol|alert|handshake|no ciphers/i);
  });

  test('closes connections with unfinished handshakes, and serves others meanwhile', async () => {
    const sockets = Array.from({ length: 60 }, (_, index) => {
      const socket = connectPlain(port(), '127.0.0.1');
      // Nothing, or the start of a record that never ends.
      if (index % 2 === 0) socket.write(Buffer.from('160301020001', 'hex'));
      return closed(socket);
    });
    expect(await livez(port())).toBe(200);
    await Promise.all(sockets);
    expect(await livez(port())).toBe(200);
  });

  test('closes a connection that renegotiates repeatedly', async () => {
    const socket: TLSSocket = connect({ port: port(), host: '127.0.0.1', ca, maxVersion: 'TLSv1.2' });
    await once(socket, 'secureConnect');
    const ended = closed(socket);
    const again = (): void => {
      if (socket.destroyed) return;
      socket.renegotiate({}, (error) => (error === null ? again() : socket.destroy()));
    };
    again();
    await ended;
    expect(await livez(port())).toBe(200);
  });

  test('answers by the host name in the request, independent of the name in the handshake', async () => {
    expect(await livez(port(), { servername: 'localhost', headers: { host: '127.0.0.1' } })).toBe(200);
    const strange = { servername: 'strange.example', checkServerIdentity: () => undefined };
    expect(await livez(port(), { ...strange, headers: { host: '127.0.0.1' } })).toBe(200);
    expect(await livez(port(), { headers: { host: 'localhost' }, minVersion: 'TLSv1.3' })).toBe(200);
  });
});
