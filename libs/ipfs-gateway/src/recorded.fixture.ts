import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { readCar } from '@cairn/dag';
import { parseIpnsName, parseNsMap } from '@cairn/ipns';

/** Exchanges recorded from Kubo, one per line of cases.jsonl. */
export interface RecordedCase {
  readonly name: string;
  readonly source: 'suite' | 'kubo';
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly host: string | null;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: {
      readonly sha256?: string;
      readonly generated?: boolean | string;
      readonly contains?: readonly string[];
      readonly car?: { readonly blocks: readonly string[] };
      readonly tar?: object;
    };
  };
  readonly checks: readonly string[];
}

const recordedDirectory = join(import.meta.dirname, '../../../../shared/conformance/gateway');
export const hasRecords = existsSync(recordedDirectory);

export function recordedCases(): RecordedCase[] {
  const lines = readFileSync(join(recordedDirectory, 'cases.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

/** Options of a gateway that has the recorded blocks, records and DNSLink names. */
export async function recordedOptions() {
  const fixtures = join(recordedDirectory, 'fixtures');
  const blocks = createMemoryBlockstore();
  const car = await readCar(readFileSync(join(fixtures, 'fixtures.car')));
  for await (const block of car.blocks) await blocks.putMany([block]);
  const files = readdirSync(fixtures).filter((file) => file.endsWith('.ipns-record'));
  const records = new Map(
    files.map((file) => [String(parseIpnsName(file.split('_')[0] ?? '')), readFileSync(join(fixtures, file))]),
  );
  const links = parseNsMap(readFileSync(join(fixtures, 'dnslinks.IPFS_NS_MAP'), 'utf8').trim());
  return {
    blocks,
    names: {
      ipnsRecord: async (name: object) => records.get(String(name)),
      dnslink: async (domain: string) => links.get(domain),
    },
    subdomainHosts: [
      { host: 'localhost', inlinesDnslink: true },
      { host: 'example.com', inlinesDnslink: true },
    ],
  };
}
