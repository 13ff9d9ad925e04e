import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CommandSettings } from '../settings.ts';
import { type Finding, fault, good, warning } from './finding.ts';

const GiB = 1024 ** 3;
const freeBytesMin = GiB / 2;
const freeBytesLow = 5 * GiB;
/** Types of file systems over a network, from statfs(2). Memory-mapped files of LMDB are not safe there. */
const networkFileSystems = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x517b, 'SMB'],
  [0x01021997, '9p'],
  [0x00c36400, 'Ceph'],
]);

/** Checks that the home can be written, and the file system that has it. Creates nothing. */
export async function checkHome({ CAIRN_HOME: home, CAIRN_DATABASE_URL }: CommandSettings): Promise<Finding[]> {
  const existing = await nearestDirectory(home);
  if (existing === undefined)
    return [
      fault('home', `${home} is not a directory.`, 'Set CAIRN_HOME to a directory, or to a path without a file.'),
    ];
  const findings: Finding[] = [];
  try {
    await access(existing, constants.W_OK | constants.X_OK);
    findings.push(good('home', existing === home ? `${home} can be written.` : `${home} can be created.`));
  } catch {
    findings.push(
      fault('home', `${existing} cannot be written.`, 'Give the user of the services the right to write there.'),
    );
  }
  const { type, bavail, bsize } = await statfs(existing);
  const isEmbedded = CAIRN_DATABASE_URL === undefined;
  return [...findings, disk(bavail * bsize, isEmbedded), ...fileSystem(type)];
}

function disk(free: number, isEmbedded: boolean): Finding {
  const text = `The disk of the home has ${(free / GiB).toFixed(1)} GiB free.`;
  const advice = isEmbedded ? 'Free space, or move CAIRN_HOME to a larger disk.' : 'Free space for chains and caches.';
  if (free < freeBytesMin) return fault('disk', text, advice);
  return free < freeBytesLow ? warning('disk', text, advice) : good('disk', text);
}

function fileSystem(type: number): Finding[] {
  // Some systems report the type as a signed number.
  const name = networkFileSystems.get(type >>> 0);
  if (name === undefined) return [];
  return [
    fault(
      'disk',
      `The home is on a file system over the network (${name}).`,
      'Use a local disk: stores that are mapped into memory can be damaged there. Several machines share state through CAIRN_DATABASE_URL.',
    ),
  ];
}

/** The home, or the nearest directory above it that exists; undefined where a file is in the way. */
async function nearestDirectory(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? path : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || dirname(path) === path) return undefined;
    if (code !== 'ENOENT') return path;
    return await nearestDirectory(dirname(path));
  }
}
