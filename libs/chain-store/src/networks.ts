import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Hex, knownChains } from '@cairn/block-model';
import * as z from 'zod';
import { NetworksError } from './errors.ts';

/** Fields of every network. */
interface CommonNetwork {
  /** Name of the network and of its store directory. */
  readonly name: string;
  /** Host names that select the network; `*` selects it for all unlisted hosts. */
  readonly hosts: readonly string[];
  /** Refuse eth_call without `from`. */
  readonly requireFrom: boolean;
}

/** A network whose blocks are imported and executed on this machine. Paths are absolute. */
export interface LocalNetwork extends CommonNetwork {
  /** Name of a known network, or a file in geth's format. */
  readonly genesis: string;
  /** Files of blocks, in order. */
  readonly blocks: readonly string[];
  /** Node whose chain is followed: URL of http, https, ws or wss. It may contain a key: never log it. */
  readonly source?: { readonly rpc: string } | undefined;
  /** Blocks that are safe and final once the files are imported. */
  readonly safe?: Hex | undefined;
  readonly finalized?: Hex | undefined;
}

/** URL of an upstream and the limit of its plan. The URL may contain a key: never log it. */
export interface UpstreamAddress {
  readonly url: string;
  readonly requestsPerSecond?: number | undefined;
}

/** Authority that decides between the branches of a chain. */
export type HeadChoice =
  | {
      readonly kind: 'beacon';
      /** URLs of beacon nodes. They may contain keys: never log them. */
      readonly beacon: readonly string[];
      /** Root of a finalized beacon block. */
      readonly checkpoint: Hex;
      /** File with the beacon configuration of a private network. Default: that of the known network. */
      readonly config?: string | undefined;
    }
  /** Agreement of so many upstreams. */
  | { readonly kind: 'quorum'; readonly quorum: number }
  /** The first upstream is the operator's own node. */
  | { readonly kind: 'trusted' };

/** A network that is read from untrusted nodes and verified. */
export interface UpstreamNetwork extends CommonNetwork {
  readonly upstreams: readonly UpstreamAddress[];
  readonly head: HeadChoice;
  /** Name of a known network, or a file in geth's format, whose fork schedule applies. */
  readonly genesis?: string | undefined;
  /** Required without a genesis. */
  readonly chainId?: number | undefined;
}

export type Network = LocalNetwork | UpstreamNetwork;

/** Reports whether a network is read from upstreams. */
export function isUpstreamNetwork(network: Network): network is UpstreamNetwork {
  return 'upstreams' in network;
}

/** Reports whether a network is imported. */
export function isLocalNetwork(network: Network): network is LocalNetwork {
  return !isUpstreamNetwork(network);
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

const checkpointExpected = 'expected the root of a finalized beacon block, "0x" and 64 digits in lower case';
const checkpoint = z
  .string({ error: checkpointExpected })
  .regex(/^0x[0-9a-f]{64}$/, checkpointExpected)
  .transform((text) => text as Hex);

const common = { name, hosts: z.array(host).max(100).default([]), requireFrom: z.boolean().default(true) };

const localNetwork = z.strictObject({
  ...common,
  genesis: file,
  blocks: z.array(file).max(100_000).default([]),
  source: z.strictObject({ rpc }).optional(),
  safe: blockHash.optional(),
  finalized: blockHash.optional(),
});

const beaconUrl = z
  .string()
  .max(4096)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    message: 'expected a URL of http or https',
  });

/** The field that is present selects the form, so that an error names the fault within it. */
const headForms = {
  beacon: z
    .strictObject({
      beacon: z.array(beaconUrl).min(1, 'expected one URL or more').max(16),
      checkpoint,
      config: file.optional(),
    })
    .transform((value) => ({ kind: 'beacon' as const, ...value })),
  quorum: z
    .strictObject({
      quorum: z.int().min(2, 'expected 2 or more upstreams; use "trusted" for a node of your own').max(16),
    })
    .transform((value) => ({ kind: 'quorum' as const, ...value })),
  trusted: z.strictObject({ trusted: z.literal(true) }).transform(() => ({ kind: 'trusted' as const })),
};
const headExpected = 'expected {"beacon": […], "checkpoint": "0x…"}, {"quorum": 2} or {"trusted": true}';
const head = z.unknown().transform((value, context): HeadChoice => {
  const form = (Object.keys(headForms) as (keyof typeof headForms)[]).find(
    (key) => typeof value === 'object' && value !== null && key in value,
  );
  const parsed = form && headForms[form].safeParse(value);
  if (parsed?.success) return parsed.data;
  for (const { path, message } of parsed?.error.issues ?? [{ path: [], message: headExpected }])
    context.addIssue({ code: 'custom', path: [...path], message });
  return z.NEVER;
});

const upstream = z.union(
  [
    rpc.transform((url): UpstreamAddress => ({ url })),
    z.strictObject({ url: rpc, requestsPerSecond: z.number().min(0.1).max(1_000_000).optional() }),
  ],
  { error: 'expected a URL of http, https, ws or wss, or {"url": "…", "requestsPerSecond": 25}' },
);

const upstreamNetwork = z
  .strictObject({
    ...common,
    upstreams: z.array(upstream).min(1, 'expected one URL or more').max(32),
    head,
    genesis: file.optional(),
    chainId: z.int().min(1).optional(),
  })
  .superRefine(({ genesis, chainId, head: choice, upstreams }, context) => {
    if (genesis === undefined && chainId === undefined)
      context.addIssue({ code: 'custom', path: ['chainId'], message: 'expected chainId or genesis' });
    if (choice?.kind === 'quorum' && choice.quorum > upstreams.length)
      context.addIssue({
        code: 'custom',
        path: ['head', 'quorum'],
        message: `expected at most ${upstreams.length}, the number of upstreams`,
      });
  });

const network = z
  .unknown()
  .transform((value, context): z.infer<typeof localNetwork> | z.infer<typeof upstreamNetwork> => {
    const isRemote = typeof value === 'object' && value !== null && ('upstreams' in value || 'head' in value);
    const parsed = isRemote ? upstreamNetwork.safeParse(value) : localNetwork.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path: [...path], message });
    return z.NEVER;
  });

const schema = z.strictObject({
  networks: z.array(network).min(1, 'expected one network or more').max(1000),
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
  return networks.map((entry) => withAbsolutePaths(entry, directory));
}

function withAbsolutePaths(entry: Network, directory: string): Network {
  const isKnown = (genesis: string) => (knownChains as readonly string[]).includes(genesis);
  const absolute = (genesis: string) => (isKnown(genesis) ? genesis : resolve(directory, genesis));
  if (!isUpstreamNetwork(entry))
    return {
      ...entry,
      genesis: absolute(entry.genesis),
      blocks: entry.blocks.map((block) => resolve(directory, block)),
    };
  const { head: choice, genesis } = entry;
  const config =
    choice.kind === 'beacon' && choice.config !== undefined ? resolve(directory, choice.config) : undefined;
  return {
    ...entry,
    ...(genesis !== undefined && { genesis: absolute(genesis) }),
    ...(config !== undefined && { head: { ...choice, config } as HeadChoice }),
  };
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
