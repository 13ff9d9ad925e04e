import { chmodSync, lutimesSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noise } from '../service.ts';

const time = 1_700_000_000;

/** A DAG-PB node without links and data `hello`. */
const pbNode = Buffer.from('0a0568656c6c6f', 'hex');

/** CAR version 1 of one raw block, with and without a root. */
const carBlock = '2601551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9';
const block = `2f${carBlock.slice(2)}${Buffer.from('hello world').toString('hex')}`;
const oneCar = `3aa265726f6f747381d82a58250001${carBlock.slice(4)}6776657273696f6e01${block}`;
const rootlessCar = `11a265726f6f7473806776657273696f6e01${block}`;

/** Writes the files that the scripts name. Times and modes are fixed, since some options store them. */
export function writeFixtures(directory: string): void {
  const file = (name: string, content: string | Uint8Array, mode = 0o644) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    utimesSync(path, time, time);
  };
  for (const name of ['tree', 'tree/sub', 'tree/empty', 'tree2']) mkdirSync(join(directory, name), { mode: 0o755 });
  file('hello.txt', 'hello\n');
  file('empty.txt', '');
  file('big.bin', noise(300_000));
  file('mebi3.bin', noise(3 * 1024 * 1024));
  file('exec.sh', '#!/bin/sh\n', 0o755);
  file('values.json', '{"a":1,"list":[1,{"deep":true}],"text":"é"}');
  file('plain.json', '{"a":[1,2,3]}');
  file('broken.json', '{"a":');
  file('rules.txt', '*.txt\n');
  file('pbnode.bin', pbNode);
  file('one.car', Buffer.from(oneCar, 'hex'));
  file('rootless.car', Buffer.from(rootlessCar, 'hex'));
  file('tree/a.txt', 'a');
  file('tree/run.sh', '#!/bin/sh\necho run\n', 0o755);
  file('tree/read.md', '# Read\n');
  file('tree/.hidden', 'hidden');
  file('tree/sub/my file.txt', 'spaces');
  file('tree/sub/p+q%&.txt', 'signs');
  file('tree/sub/größe.txt', 'letters');
  file('tree2/other.txt', 'other');
  symlinkSync('a.txt', join(directory, 'tree/link'));
  symlinkSync('hello.txt', join(directory, 'link'));
  for (const name of ['tree/link', 'link']) lutimesSync(join(directory, name), time, time);
  for (const name of ['tree/empty', 'tree/sub', 'tree', 'tree2']) utimesSync(join(directory, name), time, time);
}
