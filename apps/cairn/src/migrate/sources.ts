import { createReadStream, existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnError } from '@cairn/errors';
import type { KuboEndpoint } from './kubo-endpoint.ts';

/** A CID to copy, and its name. */
export interface WantedPin {
  readonly cid: string;
  readonly name: string | undefined;
}

/** Source of pins. */
export interface PinSource {
  /** All pins to copy. */
  pins(): AsyncIterable<WantedPin>;
  /** Returns the DAG of a CID as a CAR (version 1). @throws ENDPOINT_REFUSED when it is missing */
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
        // Servers without `stream` send one answer with all pins.
        for (const [cid, pin] of Object.entries(Keys ?? {})) yield { cid, name: pin.Name || undefined };
      }
    },
    car: (cid) => endpoint.post('dag/export', { arg: cid, progress: 'false' }),
  };
}

/** Reads files of a directory with names such as `<CID>.car`. */
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

/** Reads pins of a CSV file: the CID in the first column, an optional name in the second. @throws PINS_INVALID */
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
