import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { readSwarmKey } from './swarm-key.ts';

const directory = mkdtempSync(join(tmpdir(), 'cairn-swarm-key-'));
const file = join(directory, 'swarm.key');
afterAll(() => rmSync(directory, { recursive: true }));

test.each(['\n', '\r\n'])('a key of Kubo with line ends %j is read', async (end) => {
  writeFileSync(file, ['/key/swarm/psk/1.0.0/', '/base16/', 'AB'.repeat(32), ''].join(end));
  expect(await readSwarmKey(file)).toEqual(new Uint8Array(32).fill(0xab));
});

test.each(['', '/key/swarm/psk/1.0.0/\n/base16/\nabcd', `/key/swarm/psk/1.0.0/\n/base64/\n${'ab'.repeat(32)}`])(
  'the file %j is refused without its content',
  async (text) => {
    writeFileSync(file, text);
    await expect(readSwarmKey(file)).rejects.toMatchObject({
      code: 'SWARM_KEY_INVALID',
      message: `The file ${file} is not a swarm key.`,
    });
  },
);
