import { createMemoryBlockstore, withVerification } from '@cairn/blockstore';
import {
  catFile,
  editFile,
  importFile,
  importTree,
  listDirectory,
  profiles,
  resolvePath,
  statNode,
} from '@cairn/unixfs';
import { codeOf, collect, digits, joined, patterned, plain } from './tools.mjs';

const bytes = patterned(2_500_000);
const optionSets = [
  {},
  profiles['unixfs-v1-2025'],
  { chunker: 'size-1000', layout: 'trickle' },
  { chunker: 'rabin' },
  { chunker: 'buzhash' },
  { hash: 'blake2b-256', fileLinksMax: 3 },
  { mode: 0o644, mtime: { seconds: 1_700_000_000, nanoseconds: 5 } },
];
const sources = [
  () => bytes,
  () => bytes.slice().buffer,
  () => new Blob([bytes]),
  () => new File([bytes], 'content'),
  () => new Blob([bytes]).stream(),
  () => new Response(bytes).body,
  () => [bytes.subarray(0, 7), bytes.subarray(7)],
];

export async function run() {
  const store = withVerification(createMemoryBlockstore());
  const cids = async (imports) => (await Promise.all(imports)).map(({ cid, dagSize }) => [cid.toString(), dagSize]);
  const tree = await collect(
    importTree(
      [
        ...Array.from({ length: 300 }, (_, n) => ({ path: `many/€-${n}`, content: patterned(n, n) })),
        { path: 'link', symlink: 'many' },
      ],
      store,
      { wrap: true, directoryLinksMax: 100 },
    ),
  );
  const root = tree.find(({ isRoot }) => isRoot).cid;
  const node = await resolvePath(store, `/ipfs/${root}/many/€-77`);
  const edited = await editFile(store, (await importFile(bytes, store)).cid, patterned(9), { offset: 2_499_996 });
  return plain({
    options: await cids(optionSets.map((options) => importFile(bytes, store, options))),
    sources: await cids(sources.map((source) => importFile(source(), store))),
    tree: tree
      .filter(({ isRoot, type }) => isRoot || type !== 'file')
      .map(({ path, cid, dagSize }) => [path, `${cid}`, dagSize]),
    read: digits(await joined(catFile(store, node, { offset: 3, length: 20 }))),
    whole: (await joined(catFile(store, edited.cid))).length,
    edited: edited.cid.toString(),
    stat: (await statNode(store, node)).type,
    listed: (await collect(listDirectory(store, root))).map(({ name, tsize }) => [name, tsize]),
    refusals: [
      await codeOf(() => importFile('text', store)),
      await codeOf(() => importFile([1, 2], store)),
      await codeOf(() => importFile(new Float32Array(2), store)),
      await codeOf(() => resolvePath(store, `/ipfs/${root}/none`)),
      await codeOf(() => importFile(bytes, store, { chunker: 'size-0' })),
    ],
  });
}
