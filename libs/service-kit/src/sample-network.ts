import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Places of the files: below the folder of a deployed service, and below the root of the repository. */
const places = [join('sample-network'), join('tools', 'sample-network', 'network')];

/**
 * Returns a file of the sample network, the default of CAIRN_NETWORKS: the nearest one above a module. Where there
 * is none, returns the path in a deployed folder, for the message that it cannot be read.
 */
export function sampleNetworkFile(moduleUrl: string, name: string): string {
  const start = dirname(fileURLToPath(moduleUrl));
  for (let directory = start; ; directory = dirname(directory)) {
    const found = places.map((place) => join(directory, place, name)).find(existsSync);
    if (found !== undefined) return found;
    if (dirname(directory) === directory) return join(start, '..', 'sample-network', name);
  }
}
