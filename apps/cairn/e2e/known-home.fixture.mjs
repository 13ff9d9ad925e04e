// A home with known contents, and a reader of all of them. Plain JavaScript over the build, because processes of fault
// trials and builds of earlier versions run it too.
import { join } from 'node:path';

/** Loads the libraries of a built checkout. */
export async function load(root = new URL('../../../', import.meta.url)) {
  const lib = (name) => import(new URL(`libs/${name}/dist/index.js`, root).href);
  const [auth, billing, blockstore, cid, metering, mfs, pinning] = await Promise.all(
    ['auth', 'billing', 'blockstore', 'cid', 'metering', 'mfs', 'pinning'].map(lib),
  );
  return { auth, billing, blockstore, cid, metering, mfs, pinning };
}

export const names = ['ann', 'bob', 'cyd'];
const pinsEach = 60;
const day = 86_400_000;
const time = 20_000 * day;

async function open(home, { auth, billing, blockstore, metering, mfs, pinning }) {
  const at = (name) => ({ directory: join(home, name) });
  const stores = {
    accounts: () => auth.openLmdbAccountStore(at('accounts')),
    plans: () => metering.openLmdbPlanStore(at('accounts')),
    usage: () => metering.openLmdbUsageStore(at('accounts')),
    billing: () => billing.openLmdbBillingStore(at('accounts')),
    pins: () => pinning.openLmdbPinStore(at('pins')),
    files: () => mfs.openLmdbRootStore(at('files')),
    blocks: () => blockstore.openLmdbBlockstore(at('blocks')),
  };
  const opened = {};
  try {
    for (const [name, openStore] of Object.entries(stores)) opened[name] = await openStore();
    return opened;
  } catch (error) {
    await close(opened);
    throw error;
  }
}

async function close(stores) {
  for (const store of Object.values(stores)) await store.close();
}

export async function buildHome(home, libs) {
  const stores = await open(home, libs);
  for (const [index, name] of names.entries()) {
    await fillAccount(stores, name, index);
    await fillStorage(stores, libs, name, index);
  }
  await stores.plans.put({ name: 'tiny', title: 'Tiny', requestsPerSecond: 1 });
  await close(stores);
}

async function fillAccount({ accounts, usage, billing }, name, index) {
  const entry = {
    at: time,
    accountId: `acc_${name}`,
    actor: { who: 'fixture', from: 'test' },
    action: 'account.create',
  };
  const account = {
    id: `acc_${name}`,
    name,
    plan: 'free',
    status: index === 2 ? 'suspended' : 'active',
    createdAt: time,
  };
  const member = {
    id: `mem_${name}`,
    email: `${name}@example.com`,
    accountId: account.id,
    role: 'member',
    passwordHash: 'x',
    createdAt: time,
  };
  await accounts.insertAccount(account, entry, member);
  for (let number = 0; number < 12; number++) {
    const id = `key-${name}-${number}`;
    const key = {
      id,
      accountId: account.id,
      name: `key ${number}`,
      createdAt: time,
      secrets: [],
      ...(number % 3 === 0 && { revokedAt: time }),
    };
    await accounts.insertKey(key, { ...entry, action: 'key.create' });
  }
  await accounts.members.putSession({
    id: `session-${name}`,
    memberId: member.id,
    createdAt: time,
    expiresAt: time + day,
  });
  const counts = {
    requests: 3,
    errors: 1,
    limited: 0,
    credits: 30,
    bytesIn: 1,
    bytesOut: 2,
    gas: 0,
    durationUs: 5,
    latency: [1, 2],
  };
  const deltas = Array.from({ length: 40 }, (_, hour) => ({
    ...counts,
    accountId: account.id,
    key: `reference ${hour % 3}`,
    service: 'rpc',
    operation: 'eth_call',
    network: 'sample',
    at: time + hour * 3_600_000,
  }));
  const seen = deltas.slice(0, 3).map(({ accountId, key, at }) => ({ accountId, key, at }));
  await usage.add(
    deltas,
    seen,
    deltas.map(({ accountId, at }) => ({ accountId, at, bytes: at % 999 })),
  );
  await billing.update(account.id, () => ({ accountId: account.id, customerId: `cus_${name}`, changedAt: 1 }));
  await billing.markProcessed(`evt_${name}`, time);
}

async function fillStorage({ blocks, pins, files }, { cid }, name, index) {
  const made = Array.from({ length: pinsEach + 8 }, (_, number) => {
    const bytes = Buffer.from(`${name} ${number} `.repeat(number * 9 + 1));
    return { cid: cid.cidFor(bytes, { codec: 'raw' }), bytes };
  });
  await blocks.putMany(made, { owner: index + 1 });
  await blocks.sync();
  await blocks.claimMany(
    made.slice(pinsEach).map((block) => block.cid),
    index + 1,
  );
  for (const [number, block] of made.slice(0, pinsEach).entries()) {
    const size = { blocks: 1, bytes: block.bytes.length };
    await pins.put(`acc_${name}`, [
      { cid: block.cid, mode: number % 7 === 0 ? 'direct' : 'recursive', name: `pin ${number}`, createdAt: time, size },
    ]);
  }
  await pins.remove(
    `acc_${name}`,
    made.slice(0, 3).map((block) => block.cid),
  );
  let before;
  for (const block of made.slice(pinsEach)) {
    await files.swap(`acc_${name}`, before, { cid: block.cid, bytes: block.bytes.length });
    before = block.cid;
  }
}

async function all(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}

/** Contents of one store, or of all, as text. */
export async function readHome(home, libs, { afterOpen } = {}) {
  const stores = await open(home, libs);
  try {
    afterOpen?.();
    const blocks = libs.blockstore.withVerification(stores.blocks);
    const read = [await readAccounts(stores), await readStorage({ ...stores, verified: blocks })];
    return JSON.stringify(read, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  } finally {
    await close(stores);
  }
}

async function readAccounts({ accounts, plans, usage, billing }) {
  const found = [
    await all(accounts.accounts()),
    await all(accounts.auditEntries()),
    await all(accounts.members.list()),
    await plans.plans(),
  ];
  for (const name of names) {
    const id = `acc_${name}`;
    found.push(await accounts.account(id), await accounts.accountByName(name), await all(accounts.keys(id)));
    for (let number = 0; number < 14; number++) found.push((await accounts.key(`key-${name}-${number}`)) ?? 'none');
    found.push(
      await accounts.members.byEmail(`${name}@example.com`),
      await accounts.members.session(`session-${name}`),
    );
    for (const resolution of ['minute', 'hour', 'day'])
      found.push(await all(usage.rows(id, { from: 0, to: time * 2 }, resolution)));
    found.push([...(await usage.lastUsed(id))], await usage.stored(id, { from: time + day, to: time * 2 }));
    found.push(
      await billing.customer(id),
      await billing.byCustomerId(`cus_${name}`),
      await billing.isProcessed(`evt_${name}`),
      await billing.isProcessed('evt_none'),
    );
  }
  return found;
}

async function readStorage({ blocks, verified, pins, files }) {
  const keys = await all(blocks.keys());
  const found = [keys, await blocks.stats(), await blocks.cycle(), await all(blocks.quarantined())];
  for (const key of keys) found.push(Buffer.from(await verified.get(key)).toString('base64'), await blocks.size(key));
  for (const mode of ['recursive', 'direct']) found.push(await all(pins.roots(mode)));
  found.push(await all(files.roots()));
  for (const [index, name] of names.entries()) {
    const id = `acc_${name}`;
    const listed = await all(pins.list(id));
    found.push(
      listed,
      await pins.usage(id),
      await all(pins.released(id)),
      await files.get(id),
      await all(files.formerRootsOf(id)),
    );
    for (const { cid } of listed) found.push(await pins.get(id, cid));
    for (const { cid } of await all(pins.released(id))) found.push((await pins.get(id, cid)) ?? 'none');
    found.push(await all(blocks.claims(index + 1)), await blocks.claimed(index + 1));
  }
  return found;
}
