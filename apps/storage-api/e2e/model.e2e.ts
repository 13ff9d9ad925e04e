import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type AccountState,
  after,
  arbitraryContent,
  emptyState,
  fingerprint,
  Random,
  type Step,
} from './reference-model.ts';
import { Service } from './service.ts';

// TEST_MODEL_SEED repeats a run, TEST_MODEL_ROUNDS makes it longer: 100 kills take some minutes.
const { TEST_MODEL_SEED, TEST_MODEL_ROUNDS } = process.env;
const seed = Number(TEST_MODEL_SEED ?? Date.now() % 1_000_000);
const rounds = Number(TEST_MODEL_ROUNDS ?? 60);
const accounts = ['ann', 'bob'];
const random = new Random(seed);
const service = new Service();
/** Unpinned blocks have no grace period, and collections of accounts and of the service run continuously. */
const settings = {
  STORAGE_GC_GRACE_SECONDS: '0',
  STORAGE_BLOCK_WAIT_SECONDS: '0',
  STORAGE_GC_INTERVAL_SECONDS: '1',
};

beforeAll(async () => {
  await service.makeAccounts();
  await service.start(settings);
});
afterAll(() => service.remove());

const states = new Map<string, AccountState>(accounts.map((account) => [account, emptyState]));
/** Contents by the CID of their add. */
const contents = new Map<string, Buffer>();

test(`random commands of several accounts, collections and kill -9 against a model (seed ${seed})`, async () => {
  let kills = 0;
  for (let round = 0; round < rounds; round++) {
    const isKilled = random.below(6) === 0;
    await runRound(isKilled);
    if (isKilled) kills++;
    for (const account of accounts) await expectState(account, `round ${round}`);
    if (round % 10 === 9) await expectContents();
  }
  expect(kills).toBeGreaterThan(0);
  await expectContents();
  await expectEmptyAfterAll();
}, 1_200_000);

/** Runs one step of each account concurrently with a collection. In some rounds the process is killed in the middle. */
async function runRound(isKilled: boolean): Promise<void> {
  const before = new Map(states);
  const steps = accounts.map((account) => ({ account, step: arbitraryStep(account) }));
  const collection = random.below(2) === 0 ? collect() : Promise.resolve();
  const outcomes = steps.map(({ account, step }) => perform(account, step, steps, before));
  if (isKilled) {
    await new Promise((resolve) => setTimeout(resolve, random.below(12)));
    await service.stop('SIGKILL');
  }
  const unknown = (await Promise.all(outcomes)).filter((outcome) => outcome !== undefined);
  await collection;
  if (!isKilled) {
    expect(unknown).toEqual([]);
    return;
  }
  await service.start(settings);
  for (const { account, step } of unknown) await settle(account, step);
}

function arbitraryStep(account: string): Step {
  const { pins, files } = stateOf(account);
  const known = [...contents.keys()];
  const path = `/${random.pick(['', 'deep/', 'deep/er/'])}${random.pick(['a', 'b', 'c', 'd'])}`;
  const kinds: Step['kind'][] = ['add', 'add', 'write'];
  if (known.length > 0) kinds.push('pin', 'pin', 'copy');
  if (pins.size > 0) kinds.push('unpin', 'unpin');
  if (files.size > 0) kinds.push('move', 'remove');
  const kind = random.pick(kinds);
  switch (kind) {
    case 'add':
      return { kind, bytes: arbitraryContent(random), pin: random.below(3) > 0 };
    case 'pin':
      return { kind, cid: random.pick(known) };
    case 'unpin':
      return { kind, cid: random.pick([...pins]) };
    case 'write':
      return { kind, path, bytes: arbitraryContent(random) };
    case 'copy': {
      const cid = random.pick(known);
      return files.has(path) ? { kind: 'remove', path } : { kind, cid, path, bytes: contents.get(cid) ?? Buffer.of() };
    }
    case 'move': {
      const from = random.pick([...files.keys()]);
      return files.has(path) ? { kind: 'remove', path: from } : { kind, from, to: path };
    }
    case 'remove':
      return { kind, path: random.pick([...files.keys()]) };
  }
}

/** Runs a step and applies its change to the model. Returns it where its outcome is unknown. */
async function perform(
  account: string,
  step: Step,
  all: readonly { readonly account: string; readonly step: Step }[],
  before: ReadonlyMap<string, AccountState>,
): Promise<{ readonly account: string; readonly step: Step } | undefined> {
  let answer: Response;
  let text: string;
  try {
    answer = await send(account, step);
    text = await answer.text();
  } catch {
    return { account, step };
  }
  if (answer.ok) {
    const cid = step.kind === 'add' ? String(JSON.parse(text).Hash) : undefined;
    if (cid !== undefined && step.kind === 'add') contents.set(cid, step.bytes);
    states.set(account, after(stateOf(account), step, cid));
    return undefined;
  }
  // Only continuously held content must be stored; other content may be collected at any moment.
  const isHeld =
    (step.kind === 'pin' || step.kind === 'copy') &&
    all.some(
      (other) =>
        before.get(other.account)?.pins.has(step.cid) && !(other.step.kind === 'unpin' && other.step.cid === step.cid),
    );
  if ((step.kind !== 'pin' && step.kind !== 'copy') || isHeld) {
    throw new Error(`${account} ${describe(step)}: ${answer.status} ${text} (seed ${seed})`);
  }
  return undefined;
}

function send(account: string, step: Step): Promise<Response> {
  const query = (entries: Record<string, string>) => `?${new URLSearchParams(entries)}`;
  switch (step.kind) {
    case 'add':
      return service.post(`add${query({ pin: String(step.pin), chunker: 'size-1024' })}`, {
        as: account,
        body: formOf(step.bytes),
      });
    case 'pin':
      return service.post(`pin/add${query({ arg: step.cid })}`, { as: account });
    case 'unpin':
      return service.post(`pin/rm${query({ arg: step.cid })}`, { as: account });
    case 'write':
      return service.post(
        `files/write${query({ arg: step.path, create: 'true', parents: 'true', truncate: 'true' })}`,
        { as: account, body: formOf(step.bytes) },
      );
    case 'copy':
      return service.post(`files/cp?arg=/ipfs/${step.cid}&arg=${step.path}&parents=true`, { as: account });
    case 'move':
      return moveFile(account, step.from, step.to);
    case 'remove':
      return service.post(`files/rm${query({ arg: step.path })}`, { as: account });
  }
}

async function moveFile(account: string, from: string, to: string): Promise<Response> {
  const parent = to.slice(0, to.lastIndexOf('/'));
  if (parent !== '') {
    const made = await service.post(`files/mkdir?arg=${parent}&parents=true`, { as: account });
    if (!made.ok) return made;
    await made.arrayBuffer();
  }
  return await service.post(`files/mv?arg=${from}&arg=${to}`, { as: account });
}

function formOf(bytes: Buffer): FormData {
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'file');
  return form;
}

async function collect(): Promise<void> {
  // A kill may interrupt it. Later checks cover the content that must remain.
  await service.post('repo/gc', { as: random.pick(accounts) }).then(
    (answer) => answer.text(),
    () => '',
  );
}

/** Checks after a crash that a step without a response has happened completely or not at all. */
async function settle(account: string, step: Step): Promise<void> {
  const state = stateOf(account);
  const seen = await readState(account);
  const added = step.kind === 'add' && step.pin ? [...seen.pins].find((cid) => !state.pins.has(cid)) : undefined;
  const changed = after(state, step, added);
  const possible = [state, ...(step.kind === 'add' && step.pin && added === undefined ? [] : [changed])];
  expect(possible.map(fingerprint)).toContain(fingerprint(seen));
  states.set(account, seen);
  if (added !== undefined && step.kind === 'add') contents.set(added, step.bytes);
}

async function expectState(account: string, when: string): Promise<void> {
  const seen = fingerprint(await readState(account));
  if (seen !== fingerprint(stateOf(account))) {
    throw new Error(`${account}, ${when}, seed ${seed}: expected ${fingerprint(stateOf(account))}, found ${seen}`);
  }
}

/** Reads the state of an account from the service. */
async function readState(account: string): Promise<AccountState> {
  const listed = await json(account, 'pin/ls?type=recursive');
  const pins = new Set(Object.keys((listed as { Keys?: Record<string, unknown> }).Keys ?? {}));
  const files = new Map<string, Buffer>();
  await readTree(account, '/', files);
  return { pins, files };
}

async function readTree(account: string, directory: string, files: Map<string, Buffer>): Promise<void> {
  const { Entries } = (await json(account, `files/ls?arg=${directory}&long=true`)) as {
    Entries: { Name: string; Type: number }[] | null;
  };
  for (const { Name, Type } of Entries ?? []) {
    const path = `${directory}${Name}`;
    if (Type === 1) await readTree(account, `${path}/`, files);
    else {
      const answer = await service.post(`files/read?arg=${path}`, { as: account });
      if (!answer.ok) throw new Error(`files/read ${path}: ${await answer.text()}`);
      files.set(path, Buffer.from(await answer.arrayBuffer()));
    }
  }
}

async function json(account: string, path: string): Promise<unknown> {
  const answer = await service.post(path, { as: account });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text} (seed ${seed})`);
  return JSON.parse(text);
}

/** Checks that every pinned file can be read, byte for byte. */
async function expectContents(): Promise<void> {
  for (const account of accounts) {
    for (const cid of stateOf(account).pins) {
      const answer = await service.post(`cat?arg=${cid}`, { as: account });
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (!answer.ok || contents.get(cid)?.equals(bytes) !== true) {
        throw new Error(`${cid}, pinned by ${account}: ${answer.status} ${bytes.subarray(0, 200)} (seed ${seed})`);
      }
    }
  }
}

/** Checks that a collection removes all blocks when no account holds any. */
async function expectEmptyAfterAll(): Promise<void> {
  for (const account of accounts) {
    for (const cid of stateOf(account).pins) await json(account, `pin/rm?arg=${cid}`);
    const { Entries } = (await json(account, 'files/ls?arg=/')) as { Entries: { Name: string }[] | null };
    for (const { Name } of Entries ?? []) {
      const answer = await service.post(`files/rm?arg=/${Name}&recursive=true`, { as: account });
      expect(answer.status).toBe(200);
    }
  }
  for (const account of accounts) {
    await service.eventually(async () => {
      await (await service.post('repo/gc', { as: account })).text();
      const { RepoSize } = (await json(account, 'repo/stat')) as { RepoSize: number };
      // The empty directory of the tree remains.
      expect(RepoSize).toBeLessThan(100);
    });
  }
  // Blocks that both accounts wrote are removed by the collection of the service.
  for (const cid of contents.keys()) {
    for (let tries = 0; await isHere(cid); tries++) {
      if (tries === 1000) throw new Error(`${cid} is still here after its last pin (seed ${seed})`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function isHere(cid: string): Promise<boolean> {
  const answer = await service.post(`cat?arg=${cid}`);
  await answer.arrayBuffer();
  return answer.ok;
}

function stateOf(account: string): AccountState {
  return states.get(account) ?? emptyState;
}

function describe(step: Step): string {
  return JSON.stringify({ ...step, ...('bytes' in step && { bytes: step.bytes.length }) });
}
