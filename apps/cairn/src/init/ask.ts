import { resolve } from 'node:path';
import { knownChains } from '@cairn/block-model';
import { CairnError } from '@cairn/errors';
import { confirm, intro, isCancel, multiselect, select, text } from '@clack/prompts';
import { listenFailure } from '../doctor/check-ports.ts';
import { type Answers, portNames, portQuestions } from './answers.ts';
import { defaultHead, type HeadAnswer, type NetworkAnswer } from './network-answer.ts';
import { tlsProblem } from './tls-problem.ts';

/** Asks a person on a terminal. The given answers are the suggestions. @throws INIT_CANCELLED */
export async function ask(given: Answers): Promise<Answers> {
  intro('cairn init');
  const home = await line('Directory of the stores', given.home, notEmpty);
  const bind = await answered(
    select({
      message: 'Who may reach the services?',
      initialValue: given.bind,
      options: [
        { value: '127.0.0.1', label: 'Programs on this machine', hint: '127.0.0.1' },
        { value: '0.0.0.0', label: 'Other machines too', hint: '0.0.0.0; use TLS or a proxy with TLS' },
        ...(['127.0.0.1', '0.0.0.0'].includes(given.bind) ? [] : [{ value: given.bind, label: given.bind }]),
      ],
    }),
  );
  const ports = { ...given.ports };
  for (const name of portNames) ports[name] = await portAnswer(portQuestions[name], ports, ports[name], bind);
  const tls = await tlsAnswer(given, bind);
  const networks = await networksAnswer(given.networks);
  const requireFrom = !(await answered(
    confirm({
      message: 'Accept eth_call without "from"? viem, ethers and web3.js omit it in reads.',
      initialValue: !given.requireFrom,
    }),
  ));
  const peer = await answered(
    confirm({
      message: 'Join the IPFS network? Pinned content is then served to its peers.',
      initialValue: given.peer,
    }),
  );
  return { home, bind, ports, tls, networks, requireFrom, peer };
}

/** Asks before existing files are replaced. @throws INIT_CANCELLED after a no */
export async function mayReplace(existing: readonly string[]): Promise<boolean> {
  if (existing.length === 0) return false;
  const isReplaced = await answered(
    confirm({ message: `${existing.join(' and ')}: replace what exists?`, initialValue: false }),
  );
  if (!isReplaced) throw new CairnError('INIT_CANCELLED', 'Cancelled. No file was written.');
  return true;
}

async function portAnswer(
  message: string,
  chosen: Readonly<Record<string, number>>,
  wanted: number,
  bind: string,
): Promise<number> {
  let suggested = wanted;
  while (suggested < wanted + 100 && (await listenFailure(suggested, bind)) === 'EADDRINUSE') suggested++;
  const hint = suggested === wanted ? '' : ` (${wanted} is in use)`;
  const isTaken = (port: number) =>
    Object.values(chosen).filter((other) => other === port && other !== wanted).length > 0;
  const answer = await line(`${message}${hint}`, String(suggested), (value) => {
    if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535)
      return 'Expected a port from 0 to 65535; 0 takes a free one.';
    return Number(value) !== 0 && isTaken(Number(value)) ? 'Another service has this port.' : undefined;
  });
  return Number(answer);
}

async function tlsAnswer({ tls }: Answers, bind: string): Promise<Answers['tls']> {
  const wanted = await answered(
    confirm({
      message: `Serve HTTPS with a certificate of your own?${bind === '127.0.0.1' ? '' : ' Without it, secrets of requests are readable in the network.'}`,
      initialValue: tls !== undefined,
    }),
  );
  if (!wanted) return undefined;
  const cert = await line('PEM file of the certificate chain', tls?.cert ?? '', (value) => tlsProblem({ cert: value }));
  const key = await line('PEM file of its private key', tls?.key ?? '', (value) => tlsProblem({ cert, key: value }));
  // The files are read again at each start, from any directory.
  return { cert: resolve(cert), key: resolve(key) };
}

async function networksAnswer(given: readonly NetworkAnswer[]): Promise<readonly NetworkAnswer[]> {
  const names = await answered(
    multiselect({
      message: 'Ethereum networks that the gateway reads from upstream nodes (space selects; none: the sample network)',
      required: false,
      initialValues: given.map(({ name }) => name),
      options: knownChains.map((value) => ({ value })),
    }),
  );
  const answers: NetworkAnswer[] = [];
  for (const name of names) {
    const before = given.find((network) => network.name === name);
    const urls = await line(
      `${name}: URLs of its nodes, separated by commas`,
      before?.upstreams.join(',') ?? '',
      urlList,
    );
    const upstreams = urls.split(',').map((url) => url.trim());
    answers.push({ name, upstreams, head: await headAnswer(name, upstreams) });
  }
  return answers;
}

async function headAnswer(name: string, upstreams: readonly string[]): Promise<HeadAnswer> {
  const kind = await answered(
    select({
      message: `${name}: which authority decides the newest block?`,
      options: [
        { value: 'beacon', label: 'A light client', hint: 'needs a beacon node and a checkpoint; trusts no node' },
        ...(upstreams.length > 1 ? [{ value: 'quorum', label: 'Agreement of two nodes' }] : []),
        { value: 'trusted', label: 'The first node', hint: 'a node of your own' },
      ],
    }),
  );
  if (kind !== 'beacon') return kind === 'quorum' ? defaultHead(upstreams) : { trusted: true };
  const beacon = await line(`${name}: URLs of beacon nodes, separated by commas`, '', urlList);
  const checkpoint = await line(`${name}: root of a finalized beacon block of the last 14 days`, '', (value) =>
    /^0x[0-9a-f]{64}$/.test(value) ? undefined : 'Expected "0x" and 64 digits in lower case.',
  );
  return { beacon: beacon.split(',').map((url) => url.trim()), checkpoint };
}

function urlList(value: string): string | undefined {
  const isGood = value
    .split(',')
    .every((url) => URL.canParse(url.trim()) && /^(https?|wss?):$/.test(new URL(url.trim()).protocol));
  return isGood ? undefined : 'Expected URLs such as https://rpc.example/key, separated by commas.';
}

const notEmpty = (value: string) => (value.trim() === '' ? 'Expected a directory.' : undefined);

async function line(
  message: string,
  initial: string,
  problemOf: (value: string) => string | undefined,
): Promise<string> {
  const value = await answered(
    text({ message, initialValue: initial, validate: (entered) => problemOf((entered ?? '').trim()) }),
  );
  return value.trim();
}

async function answered<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await question;
  if (isCancel(answer)) throw new CairnError('INIT_CANCELLED', 'Cancelled. No file was written.');
  return answer as Exclude<T, symbol>;
}
