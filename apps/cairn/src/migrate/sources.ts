import { createReadStream, existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnError } from '@cairn/errors';
import type { KuboEndpoint } from './kubo-endpoint.ts';

/** A CID to copy, and what it is called. */
export interface WantedPin {
  readonly cid: string;
  readonly name: string | undefined;
}

/** Where pins come from. */
export interface PinSource {
  /** Everything that there is to copy. */
  pins(): AsyncIterable<WantedPin>;
  /** The DAG of a CID as a CAR (version 1). @throws ENDPOINT_REFUSED where it is not there */
  car(cid: string): Promise<AsyncIterable<Uint8Array>>;
}

/** All recursive pins of a server. */
export function endpointSource(endpoint: KuboEndpoint): PinSource {
  return {
    async *pins() {
      for await (const line of endpoint.lines('pin/ls', { type: 'recursive', stream: 'true', names: 'true' })) {
        const { Cid, Name, Keys } = line as {
          readonly Cid?: string;
          readonly Name?: string;
          readonly Keys?: Readonly<Record<string, { readonly Name?: string }>>;
        };
        if (Cid !== undefined) yield { cid: Cid, name: Name || undefined };
        // Servers that know no `stream` answer all at once.
        for (const [cid, pin] of Object.entries(Keys ?? {})) yield { cid, name: pin.Name || undefined };
      }
    },
    car: (cid) => endpoint.post('dag/export', { arg: cid, progress: 'false' }),
  };
}

/** Files of a directory that are named `<CID>.car`. */
export function carSource(directory: string): PinSource {
  return {
    async *pins() {
      for (const file of (await readdir(directory)).sort())
        if (file.endsWith('.car')) yield { cid: file.slice(0, -'.car'.length), name: undefined };
    },
    async car(cid) {
      const file = join(directory, `${cid}.car`);
      if (!existsSync(file)) throw new CairnError('ENDPOINT_REFUSED', `There is no file ${file}.`);
      return createReadStream(file);
    },
  };
}

/** Pins of a CSV file: the CID in the first column, a name in the second where there is one. @throws PINS_INVALID */
export async function pinsOfCsv(file: string): Promise<WantedPin[]> {
  const text = await readFile(file, 'utf8');
  const rows = text.split(/\r?\n/).map((line) => line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')));
  const pins = rows
    .filter(([cid = '']) => /^(Qm[1-9A-HJ-NP-Za-km-z]{44}|[bzfkmu][A-Za-z0-9+/=_-]{30,})$/.test(cid))
    .map(([cid = '', name]) => ({ cid, name: name || undefined }));
  if (pins.length === 0)
    throw new CairnError('PINS_INVALID', `${file} has no CID in its first column.`, {
      hint: 'Expected lines such as bafy…,photo.jpg.',
    });
  return pins;
}
