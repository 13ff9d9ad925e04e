import { join, resolve } from 'node:path';
import { settingNames } from '@cairn/service-kit';
import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { type Answers, defaultAnswers } from '../init/answers.ts';
import { print } from '../print.ts';
import { topCommand } from '../top-commands.ts';

interface InitOptions {
  readonly home?: string;
  readonly bind?: string;
  readonly storagePort?: number;
  readonly gatewayPort?: number;
  readonly ipfsGatewayPort?: number;
  readonly consolePort?: number;
  readonly peer: boolean;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly network: readonly string[];
  readonly head: readonly string[];
  readonly callWithoutFrom?: boolean;
  readonly directory: string;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `cairn init` */
export function addInitCommand(program: Command): void {
  topCommand(program, 'init')
    .option('--home <directory>', 'directory of the stores')
    .option('--bind <address>', 'address that the services listen on')
    .option('--storage-port <port>', 'port of the storage API', port)
    .option('--gateway-port <port>', 'port of the JSON-RPC gateway', port)
    .option('--ipfs-gateway-port <port>', 'port of the IPFS gateway', port)
    .option('--console-port <port>', 'port of the console', port)
    .option('--no-peer', 'do not join the IPFS network')
    .option('--tls-cert <file>', 'PEM file of a certificate chain')
    .option('--tls-key <file>', 'PEM file of its private key')
    .option('--network <name=urls>', 'mainnet, sepolia or hoodi with the URLs of its nodes; repeatable', collect, [])
    .option(
      '--head <name=authority>',
      'authority for the newest block of a network: trusted, quorum:2 or <checkpoint>@<beacon url>; repeatable',
      collect,
      [],
    )
    .option('--call-without-from', 'accept eth_call without from')
    .option('--directory <directory>', 'directory of the written files', '.')
    .option('--yes', 'ask nothing; take the defaults')
    .option('--force', 'replace existing files')
    .option('--json', 'print JSON; asks nothing')
    .action(init);
}

async function init(options: InitOptions): Promise<void> {
  const given = await answersOf(options);
  const isAsking = !options.yes && !options.json;
  if (isAsking && !process.stdin.isTTY)
    throw new UsageError(
      'The questions need a terminal. Give the answers as options and --yes; see cairn init --help.',
    );
  const directory = resolve(options.directory);
  const { existingFiles, writeFiles } = await import('../init/write-files.ts');
  let isForced = options.force === true;
  let answers = given;
  if (isAsking) {
    const { ask, mayReplace } = await import('../init/ask.ts');
    isForced ||= await mayReplace(existingFiles(directory));
    answers = await ask(given);
  }
  const written = await writeFiles(answers, { directory, isForced });
  const overridden = settingNames.filter((name) => process.env[name] !== undefined && isWritten(answers, name));
  print({ written, answers: { ...answers, networks: answers.networks.map(({ name }) => name) }, overridden }, options, [
    ...written.map((path) => `Wrote ${path}`),
    ...overridden.map((name) => `${name} is set in the environment, and wins over the file.`),
    '',
    'Next:',
    '  npm run cairn -- doctor   checks ports, disk, clock and upstreams',
    '  npm start                 runs all services, and prints addresses and a first key',
    ...(directory === process.cwd() ? [] : [`  with CAIRN_CONFIG=${join(directory, 'cairn.config.json')}`]),
  ]);
}

async function answersOf(options: InitOptions): Promise<Answers> {
  const { tlsCert, tlsKey, network, head } = options;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key need each other.');
  const tls =
    tlsCert !== undefined && tlsKey !== undefined ? { cert: resolve(tlsCert), key: resolve(tlsKey) } : undefined;
  if (tls) {
    const { tlsProblem } = await import('../init/tls-problem.ts');
    const problem = tlsProblem(tls);
    if (problem !== undefined) throw new UsageError(problem);
  }
  const { networkAnswers } = await import('../init/network-answer.ts');
  const { ports } = defaultAnswers;
  return {
    home: options.home ?? defaultAnswers.home,
    bind: options.bind ?? defaultAnswers.bind,
    ports: {
      STORAGE_API_PORT: options.storagePort ?? ports.STORAGE_API_PORT,
      RPC_GATEWAY_PORT: options.gatewayPort ?? ports.RPC_GATEWAY_PORT,
      IPFS_GATEWAY_PORT: options.ipfsGatewayPort ?? ports.IPFS_GATEWAY_PORT,
      CONSOLE_PORT: options.consolePort ?? ports.CONSOLE_PORT,
    },
    peer: options.peer,
    tls,
    networks: networkAnswers(network, head),
    requireFrom: options.callWithoutFrom !== true,
  };
}

/** Reports whether a setting has an answer that the environment would override. */
function isWritten({ ports }: Answers, name: string): boolean {
  return (
    name in ports ||
    ['CAIRN_HOME', 'CAIRN_BIND', 'CAIRN_IPFS_PEER', 'CAIRN_NETWORKS', 'TLS_CERT', 'TLS_KEY'].includes(name)
  );
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('Expected a port from 0 to 65535; 0 takes a free one.');
}

function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}
