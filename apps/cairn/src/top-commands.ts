import type { Command } from 'commander';

/** Commands of the first level, in the order of `--help`: name with arguments, and description. */
const topCommands = {
  init: [
    'init',
    'Asks for home, addresses, TLS and networks, checks them, and writes cairn.config.json and networks.json.',
  ],
  up: ['up', 'Imports the networks, creates the demo account and runs all services until Ctrl-C.'],
  status: ['status', 'Shows the stored blocks, pins of each account, services, and chains.'],
  doctor: [
    'doctor',
    'Checks settings, disk, stores, ports, limits, clock, engines and upstreams, with advice. Changes nothing.',
  ],
  account: ['account', 'Create and list accounts, suspend and resume them.'],
  plan: ['plan', 'Show and change plans, the limits of accounts.'],
  member: ['member', 'People who sign in to the console.'],
  secrets: ['secrets', 'The key of second factors, keys of IPNS names and secrets of webhooks.'],
  card: ['card', 'Attach a billing card to an account, or remove it. Storage needs one.'],
  key: ['key', 'Create, list, limit, rotate and revoke API keys.'],
  gateway: ['gateway', 'Dedicated hosts and content links of the IPFS gateway.'],
  audit: ['audit [account]', 'Lists changes of accounts and keys with their actors, the newest first.'],
  import: [
    'import [network]',
    'Imports one or all networks of the networks file up to the end of their block files. Resumes a stopped import.',
  ],
  chain: ['chain', 'Writes a chain with its state to a file, and restores it.'],
  backup: [
    'backup <directory>',
    'Copies all stores while the services run. The directory appears when the copy is complete.',
  ],
  restore: ['restore <directory>', 'Restores a backup into an empty CAIRN_HOME and verifies every file.'],
  verify: [
    'verify',
    'Verifies pages and checksums of all stores; recounts blocks, pins, usage and chains. Works while services run.',
  ],
  repair: [
    'repair <store>',
    'Replaces a damaged store (accounts, blocks, files or pins) by its intact records. Stop the services first.',
  ],
  store: ['store', 'Rebuild the index of the blocks in a bucket.'],
  migrate: [
    'migrate',
    'Copies pins with their DAGs from another server or from CAR files, and verifies each. Resumes a stopped run.',
  ],
  'migrate-stores': [
    'migrate-stores',
    'Copies the stores of CAIRN_HOME to PostgreSQL and a bucket, or back, and compares both sides. Resumes a stopped run. Stop the services first.',
  ],
  completion: ['completion', 'Prints the completion script of a shell.'],
} as const;

export type TopCommandName = keyof typeof topCommands;
export const topCommandNames = Object.keys(topCommands) as readonly TopCommandName[];

/** Creates a command of the first level without options. */
export function topCommand(program: Command, name: TopCommandName): Command {
  const [usage, description] = topCommands[name];
  return program.command(usage).description(description);
}
