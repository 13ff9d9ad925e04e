import { expect, test } from '@jest/globals';
import { startFailure } from './start-failure.ts';

const service = { port: 80, portSetting: 'CONSOLE_PORT', bind: '127.0.0.1', bindSetting: 'CAIRN_BIND' };
const admin = { port: 6080, portSetting: 'CONSOLE_ADMIN_PORT', bind: '::1', bindSetting: 'CAIRN_ADMIN_BIND' };
const failure = (error: unknown) => startFailure(error, { name: 'console', service, admin });
const system = (code: string, more: object) => Object.assign(new Error(`${code}: a failure`), { code, ...more });

test.each([
  ['EACCES', 80, 'console may not listen on 127.0.0.1:80. Set CONSOLE_PORT to a port above 1023.'],
  ['EADDRINUSE', 6080, 'console cannot listen on ::1:6080: the port is taken. Set CONSOLE_ADMIN_PORT to another one.'],
  ['EADDRNOTAVAIL', 80, 'console cannot listen on 127.0.0.1:80. Set CAIRN_BIND to an address of this machine.'],
])('%s of a listener on port %i names its setting', (code, port, message) => {
  expect(failure(system(code, { syscall: 'listen', port }))).toBe(message);
});

test('EACCES of a file names the file and no port', () => {
  expect(failure(system('EACCES', { syscall: 'mkdir', path: '/home/uploads' }))).toBe(
    'console cannot start: EACCES: a failure. Check that its user can read and write /home/uploads.',
  );
});

test('a missing file descriptor names the limit', () => {
  expect(failure(system('EMFILE', { syscall: 'open', path: '/home/data' }))).toContain('ulimit -n');
});
