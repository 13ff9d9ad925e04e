import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { loadSettings, SettingsError, setting, sharedSettings } from '../index.ts';

const shape = {
  STORAGE_API_PORT: sharedSettings.STORAGE_API_PORT,
  CAIRN_NETWORKS: sharedSettings.CAIRN_NETWORKS,
  CAIRN_DEMO_KEY: setting.secret(/^[A-Za-z0-9_-]{1,128}$/, '1 to 128 letters, digits, _ or -').optional(),
  CAIRN_DEMO_SECRET: setting.secret(/^[\x21-\x7e]{1,256}$/, '1 to 256 printable ASCII characters').optional(),
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-settings-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const load = (env: Record<string, string> = {}) => loadSettings(shape, { env, directory });
const problemsOf = (env: Record<string, string>) => {
  try {
    load(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ key, problem }) => `${key}: ${problem}`);
    throw error;
  }
  return [];
};
const write = (name: string, content: string) => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};

describe('loadSettings', () => {
  test('returns the default of each setting that is not set', () => {
    expect(load()).toMatchObject({
      STORAGE_API_PORT: 5001,
      CAIRN_BIND: '127.0.0.1',
      CAIRN_HOME: join(directory, '.cairn'),
      LOG_LEVEL: 'info',
      tls: undefined,
    });
  });

  test('accepts names that other programs and Kubernetes set', () => {
    const names = ['IPFS_PATH', 'IPFS_GATEWAY', 'STORAGE_API_SERVICE_PORT', 'STORAGE_API_PORT_5001_TCP', 'CONSOLE_LOG'];
    expect(problemsOf(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
  });

  test('prefers the environment to the file', () => {
    write('cairn.config.json', JSON.stringify({ STORAGE_API_PORT: 6001, LOG_LEVEL: 'debug', CAIRN_HOME: 'data' }));
    expect(load({ STORAGE_API_PORT: '7001' })).toMatchObject({
      STORAGE_API_PORT: 7001,
      LOG_LEVEL: 'debug',
      CAIRN_HOME: join(directory, 'data'),
    });
  });

  test.each([
    [{ STORAGE_API_PORT: 'x' }, 'STORAGE_API_PORT: expected a port from 0 to 65535, got "x"'],
    [{ STORAGE_API_PORT: '70000' }, 'STORAGE_API_PORT: expected a port from 0 to 65535, got "70000"'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: expected one of fatal, error'],
    [{ IPFS_PEER_SERV: 'nothing' }, 'IPFS_PEER_SERV: there is no such setting. Did you mean IPFS_PEER_SERVE?'],
    [{ STORAGE_API_PROT: '1' }, 'STORAGE_API_PROT: there is no such setting. Did you mean STORAGE_API_PORT?'],
    [{ CAIRN_HOEM: '/x' }, 'CAIRN_HOEM: there is no such setting. Did you mean CAIRN_HOME?'],
    [
      { CAIRN_TELEPORTER: 'a' },
      'CAIRN_TELEPORTER: there is no such setting. Remove it. The README lists all settings.',
    ],
    [{ CAIRN_DEMO_KEY: 'a' }, 'CAIRN_DEMO_SECRET: CAIRN_DEMO_KEY is set, so'],
    [{ CAIRN_NETWORKS: 'none.json' }, 'CAIRN_NETWORKS: there is no file'],
    [{ TLS_CERT: 'none.pem', TLS_KEY: 'none.pem' }, 'TLS_CERT: the file'],
    [{ STORAGE_API_PORT: 'tcp://10.0.0.1:5001' }, 'enableServiceLinks: false'],
    [{ CAIRN_CONFIG: 'none.json' }, 'the file cannot be read'],
  ])('refuses %j and states what it expects', (env, message) => {
    expect(problemsOf(env as Record<string, string>).join('\n')).toContain(message);
  });

  test('accepts settings of other programs without checking their values', () => {
    expect(load({ CAIRN_CALL_WORKERS: 'many' })).not.toHaveProperty('CAIRN_CALL_WORKERS');
    write('cairn.config.json', JSON.stringify({ CAIRN_CALL_WORKERS: 'many' }));
    expect(problemsOf({})).toEqual([]);
  });

  test('lists every problem and never shows a secret', () => {
    const problems = problemsOf({
      STORAGE_API_PORT: 'x',
      CAIRN_FOO: '1',
      CAIRN_DEMO_KEY: 'a',
      CAIRN_DEMO_SECRET: 'has space',
    });
    expect(problems).toHaveLength(3);
    expect(problems.join('\n')).not.toContain('has space');
    expect(problemsOf({ CAIRN_DEMO_KEY: 'a secret', CAIRN_DEMO_SECRET: 'a' }).join('\n')).not.toContain('a secret');
  });

  test.each([
    ['not json', 'expected JSON'],
    ['[]', 'expected an object'],
    ['{"LOG_LEVLE":"info"}', 'Did you mean LOG_LEVEL?'],
    ['{"STORAGE_API_PORT":-1}', 'expected a port'],
    ['{"toString":1}', 'toString (in '],
  ])('refuses the file %s', (content, message) => {
    write('cairn.config.json', content);
    expect(problemsOf({}).join('\n')).toContain(message);
  });

  test('accepts a certificate with its private key and refuses one with another key', () => {
    const make = (name: string) => {
      const [cert, key] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)];
      execFileSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:P-256',
          '-nodes',
          '-subj',
          '/CN=localhost',
          '-days',
          '1',
          '-keyout',
          key,
          '-out',
          cert,
        ],
        { stdio: 'ignore' },
      );
      return { cert, key };
    };
    const [one, two] = [make('one'), make('two')];
    expect(load({ TLS_CERT: one.cert, TLS_KEY: one.key }).tls?.cert).toContain('BEGIN CERTIFICATE');
    expect(problemsOf({ TLS_CERT: one.cert, TLS_KEY: two.key })).toEqual([
      expect.stringContaining('is not the private key of'),
    ]);
    const broken = write('broken.pem', 'nothing');
    expect(problemsOf({ TLS_CERT: broken, TLS_KEY: broken })).toEqual([
      expect.stringContaining('expected a PEM certificate'),
    ]);
  });
});
