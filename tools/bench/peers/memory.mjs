import { memoryOf } from '../lib/process-tree.mjs';

/** Anonymous memory of a service in MiB, over all its processes: resident memory without mapped files. Linux only. */
function anonymousMebibytes(pid) {
  if (pid === undefined) return undefined;
  try {
    return memoryOf(pid).anonymous;
  } catch {
    return undefined;
  }
}

/**
 * Returns rows of memory after all other rows.
 * @param processes of Cairn and of peers: { name, pid, peer, goal } with the goal in MiB
 */
export function memoryRows(processes) {
  return processes.flatMap(({ name, pid, goal, peers }) => {
    const mebibytes = anonymousMebibytes(pid);
    if (mebibytes === undefined) return [];
    const others = peers.flatMap((peer) => {
      const size = anonymousMebibytes(peer.pid);
      return size === undefined ? [] : [{ name: peer.name, mebibytes: size }];
    });
    return [{ name, goal, mebibytes, peers: others }];
  });
}
