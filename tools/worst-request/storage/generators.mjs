import { readFileSync } from 'node:fs';
import { flag, integer, oneOf, optional } from '../domains.mjs';
import { send } from '../send.mjs';
import { carGenes, carOf, formGenes, formOf } from './bodies.mjs';
import { dagGenes, makeBlock, makeDag } from './dags.mjs';
import { networkRequests } from './network-requests.mjs';
import { optionGenes, queryOf } from './options.mjs';

const { paths } = JSON.parse(readFileSync(new URL('../../../apps/storage-api/openapi.json', import.meta.url), 'utf8'));
/** Deadline of requests that prepare another one. */
const setupMs = 60_000;

const pathGenes = {
  /** Steps below the root of the DAG. */
  steps: optional(integer(1, 2_000), 0.3),
  step: oneOf('0', 'a', '000000', 'x'.repeat(100), '%00'),
};
const pathOf = ({ steps = 0, step }) => `/${step}`.repeat(Math.min(steps, Math.floor(12_000 / (step.length + 3))));
const textGenes = {
  text: oneOf('', 'x', 'Qm', 'z', 'x'.repeat(12_000), 'z'.repeat(12_000), `k${'k'.repeat(4_000)}`, '🚀'.repeat(900)),
};
const manyGenes = { args: optional(integer(1, 1_100), 0.2) };

/** Reads a DAG that is stored first. */
const ofDag = {
  genes: { ...dagGenes, ...pathGenes, ...manyGenes },
  async args(genes, world) {
    const root = await world.dag(genes);
    const one = genes.steps === undefined ? `${root}` : `/ipfs/${root}${pathOf(genes)}`;
    return Array(Math.max(1, Math.min(genes.args ?? 1, Math.floor(15_000 / (one.length + 12))))).fill(one);
  },
};
const ofTwoDags = {
  genes: { ...dagGenes, otherCount: integer(1, 2_000_000), ...pathGenes },
  args: async (genes, world) => [
    `${await world.dag(genes)}`,
    `${await world.dag({ ...genes, count: genes.otherCount })}`,
  ],
};
/** Changes a DAG in the file tree. */
const ofTree = (...rest) => ({
  genes: { ...dagGenes, ...pathGenes, isRoot: optional(flag, 0.1) },
  async args(genes, world) {
    await world.tree(await world.dag(genes));
    return [genes.isRoot ? '/' : `/worst${pathOf(genes)}`, ...rest];
  },
});
const ofText = {
  genes: { ...textGenes, ...manyGenes },
  args: ({ text, args = 1 }) => Array(Math.min(args, Math.floor(16_000 / (text.length + 6)))).fill(text),
};
const ofPins = {
  genes: { pins: integer(0, 3_000) },
  async args({ pins }, world) {
    await world.pins(pins);
    return [];
  },
};
const nothing = { genes: {}, args: () => [] };

const form = (name) => ({ ...nothing, genes: formGenes, body: (genes) => formOf(genes, name) });
const blockForm = (name) => ({
  ...nothing,
  genes: { ...formGenes, shape: dagGenes.shape, count: dagGenes.count, isShaped: oneOf(true, true, false) },
  body: (genes) =>
    formOf(
      genes.isShaped ? { ...genes, parts: Math.min(genes.parts ?? 1, 20) } : genes,
      name,
      genes.isShaped ? makeBlock(genes).bytes : undefined,
    ),
});

/** Arguments and body of every command. */
export const commandRequests = {
  ...networkRequests({ nothing, ofDag, form }),
  add: form('file'),
  'block/get': ofDag,
  'block/put': blockForm('data'),
  'block/rm': ofDag,
  'block/stat': ofDag,
  cat: ofDag,
  'cid/base32': ofText,
  'cid/bases': nothing,
  'cid/codecs': nothing,
  'cid/format': ofText,
  'cid/hashes': nothing,
  'cid/inspect': ofText,
  commands: nothing,
  config: ofText,
  'config/show': nothing,
  'dag/export': ofDag,
  'dag/get': ofDag,
  'dag/import': {
    ...nothing,
    genes: { ...formGenes, ...dagGenes, ...carGenes },
    body: (genes) => formOf({ ...genes, parts: Math.min(genes.parts ?? 1, 4) }, 'path', carOf(makeDag(genes), genes)),
  },
  'dag/put': blockForm('object data'),
  'dag/resolve': ofDag,
  'dag/stat': ofDag,
  'files/chcid': ofTree(),
  'files/chmod': ofTree(),
  'files/chroot': ofDag,
  'files/cp': {
    genes: { ...dagGenes, ...pathGenes, depth: integer(1, 3_000) },
    async args(genes, world) {
      const root = await world.dag(genes);
      await world.tree(root);
      return [`/ipfs/${root}`, `/worst${'/d'.repeat(genes.depth)}`];
    },
  },
  'files/flush': ofTree(),
  'files/ls': ofTree(),
  'files/mkdir': { genes: { depth: integer(1, 6_000) }, args: ({ depth }) => ['/d'.repeat(depth)] },
  'files/mv': ofTree('/moved/'),
  'files/read': ofTree(),
  'files/rm': ofTree(),
  'files/stat': ofTree(),
  'files/touch': ofTree(),
  'files/write': {
    ...ofTree(),
    genes: { ...ofTree().genes, ...formGenes },
    body: (genes) => formOf({ ...genes, parts: 1 }, 'data'),
  },
  get: ofDag,
  id: ofText,
  ls: ofDag,
  'multibase/decode': form('encoded_file'),
  'multibase/encode': form('file'),
  'multibase/list': nothing,
  'multibase/transcode': form('encoded_file'),
  'name/pubsub/state': nothing,
  'object/diff': ofTwoDags,
  'object/patch/add-link': {
    genes: { ...dagGenes, ...pathGenes },
    async args(genes, world) {
      const root = await world.dag(genes);
      return [`${root}`, pathOf(genes).slice(1) || 'name', `${root}`];
    },
  },
  'object/patch/rm-link': {
    genes: { ...dagGenes, ...pathGenes },
    args: async (genes, world) => [`${await world.dag(genes)}`, pathOf(genes).slice(1) || '000000'],
  },
  'pin/add': ofDag,
  'pin/ls': {
    genes: { ...ofPins.genes, ...dagGenes, isNamed: flag },
    async args(genes, world) {
      await world.pins(genes.pins);
      return genes.isNamed ? [`${await world.dag(genes)}`] : [];
    },
  },
  'pin/remote/service/ls': nothing,
  'pin/rm': ofDag,
  'pin/update': ofTwoDags,
  'pin/verify': ofPins,
  refs: ofDag,
  'refs/local': ofPins,
  'repo/gc': ofPins,
  'repo/ls': ofPins,
  'repo/stat': ofPins,
  'repo/verify': ofPins,
  'repo/version': nothing,
  resolve: ofDag,
  'stats/bw': nothing,
  'stats/repo': ofPins,
  version: nothing,
  'version/deps': nothing,
};

/** Commands of the service, from its generated document. */
export const commandNames = Object.keys(paths)
  .filter((path) => !path.startsWith('/psa/'))
  .map((path) => path.slice(1));

export const generators = commandNames.map((name) => {
  const { genes, args, body } = commandRequests[name] ?? nothing;
  return {
    name,
    genes: { ...genes, times: optional(integer(2, 200), 0.05), ...optionGenes(paths[`/${name}`].post.parameters) },
    async make(chosen, world) {
      const query = queryOf(chosen, await args(chosen, world));
      return { ...world.request(`/api/v0/${name}?${query}`, body?.(chosen)), repeats: chosen.times };
    },
  };
});

/** Targets of requests: stored DAGs, a file tree, pins. */
export function createWorld(service) {
  const [account] = service.accounts;
  const request = (path, { headers, ...body } = {}) => ({
    account: account.id,
    path,
    headers: { authorization: account.authorization, ...headers },
    ...body,
  });
  const ask = async (path, body) => {
    const answer = await send(request(`/api/v0/${path}`, body), { port: service.port, deadlineMs: setupMs });
    if (answer.status !== 200) throw new Error(`${path.slice(0, 100)}: ${answer.status} ${answer.excerpt}`);
    return answer;
  };
  const dags = new Map();
  const plain = { partType: 'application/octet-stream', naming: 'flat' };
  const store = async (genes) => {
    const dag = makeDag(genes);
    await ask('dag/import?pin-roots=false', formOf(plain, 'path', carOf(dag)));
    return dag.root;
  };
  let pinned = 0;
  return {
    request,
    /** Stores a DAG once. */
    dag({ shape, count, above, repeats, beside }) {
      const genes = { shape, count, above, repeats, beside };
      const key = JSON.stringify(genes);
      if (!dags.has(key)) dags.set(key, store(genes));
      return dags.get(key);
    },
    /** Puts a DAG into the file tree as /worst; skips a block that is no file or directory. */
    async tree(root) {
      await ask('files/rm?arg=/worst&recursive=true&force=true').catch(() => {});
      await ask(`files/cp?arg=/ipfs/${root}&arg=/worst`).catch(() => {});
    },
    /** Ensures a minimum number of pins. */
    async pins(count) {
      for (; pinned < count; pinned += 500) {
        const form = { ...plain, parts: 500, partBytes: 8, content: 'noise' };
        const { body, headers } = formOf(form, 'file');
        await ask(`add?raw-leaves=true&chunker=size-${2048 + pinned}`, { body, headers });
      }
    },
  };
}
