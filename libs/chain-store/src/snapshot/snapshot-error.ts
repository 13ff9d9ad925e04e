import { CairnError } from '@cairn/errors';

const hints = {
  SNAPSHOT_UNREADABLE: 'Check the path and its permissions.',
  SNAPSHOT_DAMAGED: 'Copy the file again from its source. The restore then resumes.',
  SNAPSHOT_INVALID: 'Do not use this file. Get a snapshot from another source.',
  SNAPSHOT_VERSION_UNSUPPORTED: 'Use the version of Cairn that wrote it, or write a new snapshot with this version.',
  SNAPSHOT_HEAD_DIFFERS: 'Check the head hash with a source that you trust, then get the snapshot of that head.',
  SNAPSHOT_NETWORK_DIFFERS: 'Name the network of the snapshot, with the genesis that its chain has.',
  SNAPSHOT_EXISTS: 'Name another file, or remove this one.',
  SNAPSHOT_WRITE_FAILED: 'Free disk space or check the directory, then run the command again.',
  SNAPSHOT_OLDER: 'Write a new snapshot of a chain that has reached the head of its source.',
  SNAPSHOT_UNTRUSTED:
    'Give the public key that `cairn chain snapshot --publish` printed, or the secrets key of the deployment that published it.',
  SNAPSHOT_REPLACED: 'Run the command again: it restores the newest one.',
  SNAPSHOT_UNAVAILABLE: 'Import the chain first, or follow it until it has a head.',
  CHAIN_NOT_EMPTY: 'Restore into another CAIRN_HOME, or stop the services and remove the directory of the chain.',
  RESTORE_DIFFERS: 'Restore that file to its end, or remove the directory of the stopped restore.',
} as const;

export type SnapshotErrorCode = keyof typeof hints;

/** Thrown for a snapshot that cannot be written or restored. */
export class SnapshotError extends CairnError<SnapshotErrorCode> {
  constructor(code: SnapshotErrorCode, message: string, cause?: unknown) {
    super(code, message, { hint: hints[code], cause });
  }
}

/** Creates the error for a file that differs from the one that was written. */
export function damagedSnapshot(file: string, reason: string, cause?: unknown): SnapshotError {
  return new SnapshotError('SNAPSHOT_DAMAGED', `The snapshot ${file} cannot be read: ${reason}.`, cause);
}

/** Creates the error for content that does not belong to a valid chain, under correct CIDs. */
export function invalidSnapshot(file: string, reason: string, cause?: unknown): SnapshotError {
  return new SnapshotError('SNAPSHOT_INVALID', `The snapshot ${file} cannot be restored: ${reason}.`, cause);
}
