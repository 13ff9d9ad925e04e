import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Hex, knownChains } from '@cairn/block-model';
import { z } from 'zod';
import { NetworksError } from './errors.ts';

/** One network of the list, with absolute paths. */
export interface Network {
  /** Name of the network and of its store directory. */
  readonly name: string;
  /** Host names that select the network; `*` selects it for all unlisted hosts. */
  readonly hosts: readonly string[];
  /** Name of a known network, or a file in geth's format. */
  readonly genesis: string;
  /** Files of blocks, in order. */
  readonly blocks: readonly string[];
  /** Refuse eth_call without `from`. */
  readonly requireFrom: boolean;
  /** Node whose chain is followed: URL of http, https, ws or wss. It may contain a key: never log it. */
  readonly source?: { readonly rpc: string } | undefined;
  /** Blocks that are safe and final once the files are imported. */
  readonly safe?: Hex | undefined;
  readonly finalized?: Hex | undefined;
}

const name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'expected 1 to 32 lower-case letters, digits or -');
const host = z
  .string()
  .regex(/^(\*|[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)$/, 'expected a host name in lower case without a port, or "*"');
const file = z.string().min(1, 'expected a path').max(4096);

const rpc = z
  .string()
  .max(4096)
  .refine((text) => URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol), {
    message: 'expected a URL of http, https, ws or wss',
  });
const blockHash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/, 'expected a block hash, "0x" and 64 digits in lower case')
  .transform((text) => text as Hex);

const schema = z.strictObject({
  networks: z
    .array(
      z.strictObject({
        name,
        hosts: z.array(host).max(100).default([]),
        genesis: file,
        blocks: z.array(file).max(100_000).default([]),
        requireFrom: z.boolean().default(true),
        source: z.strictObject({ rpc }).optional(),
        safe: blockHash.optional(),
        finalized: blockHash.optional(),
      }),
    )
    .min(1, 'expected one network or more')
    .max(1000),
});

/**
 * Reads a list of networks; paths in it are relative to the file.
 * @throws NETWORKS_INVALID with every fault and its place in the file
 */
export function loadNetworks(path: string): readonly Network[] {
  const parsed = schema.safeParse(readJson(path));
  if (!parsed.success)
    throw new NetworksError(
      path,
      parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`),
    );
  const networks = parsed.data.networks;
  const problems = [
    ...repeated(networks.map((network) => network.name)).map((text) => `the name "${text}" is there twice`),
    ...repeated(networks.flatMap(({ hosts }) => hosts)).map((text) => `the host "${text}" is there twice`),
  ];
  const late = networks.findIndex(({ hosts }, index) => index > 0 && hosts.includes('*'));
  if (late !== -1) problems.push(`networks.${late}.hosts: only the first network may list "*"`);
  if (problems.length > 0) throw new NetworksError(path, problems);
  const directory = dirname(resolve(path));
  const isKnown = (genesis: string) => (knownChains as readonly string[]).includes(genesis);
  return networks.map((network) => ({
    ...network,
    genesis: isKnown(network.genesis) ? network.genesis : resolve(directory, network.genesis),
    blocks: network.blocks.map((block) => resolve(directory, block)),
  }));
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new NetworksError(path, ['the file cannot be read']);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new NetworksError(path, ['expected JSON']);
  }
}

function repeated(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((text, index) => texts.indexOf(text) !== index))];
}
