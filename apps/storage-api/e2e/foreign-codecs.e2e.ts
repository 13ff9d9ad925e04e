// Nodes that are no files in a file tree: dag-cbor, dag-json, raw, broken and deep ones. Every files command responds
// to them, and none breaks the tree.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Service } from './service.ts';

const service = new Service();
const fileCid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
/** Arrays within arrays: more levels than any reader should follow. */
const deep = Buffer.concat([Buffer.alloc(900, 0x81), Buffer.from([0x01])]);
const link = Buffer.from('a16161d82a582500', 'hex');
const nodes = [
  ['a dag-cbor map', 'dag-cbor', Buffer.from('a16161f5', 'hex')],
  ['a dag-cbor map with the field Data', 'dag-cbor', Buffer.from('a26444617461420802654c696e6b7380', 'hex')],
  ['deep dag-cbor', 'dag-cbor', deep],
  ['dag-json', 'dag-json', Buffer.from('{"Data":{"/":{"bytes":"CAE"}},"Links":[]}')],
  ['json', 'json', Buffer.from('[1,2]')],
  ['broken dag-cbor', 'dag-cbor', Buffer.from('a1', 'hex')],
  ['a cut link', 'dag-cbor', link],
  ['raw bytes', 'raw', Buffer.from('raw bytes')],
  ['dag-pb without UnixFS', 'dag-pb', Buffer.from('0a03616263', 'hex')],
  ['dag-pb with an unknown type', 'dag-pb', Buffer.from('0a02087f', 'hex')],
] as const;

beforeAll(async () => {
  await service.makeAccounts();
  await service.start();
});
afterAll(() => service.remove());

async function ask(path: string, content?: Uint8Array): Promise<{ status: number; text: string }> {
  const form = content && new FormData();
  form?.set('file', new Blob([content as Uint8Array<ArrayBuffer>]), 'a');
  const answer = await service.post(path, form ? { body: form } : {});
  return { status: answer.status, text: await answer.text() };
}

/** Commands on a node at /x. */
const commands = [
  'files/stat?arg=/x',
  'files/ls?arg=/x&long=true',
  'files/ls?arg=/&long=true',
  'files/read?arg=/x',
  'files/read?arg=/x/below',
  'files/stat?arg=/x/below',
  'files/mkdir?arg=/x/below/deeper&parents=true',
  'files/cp?arg=/x&arg=/y',
  `files/cp?arg=/ipfs/${fileCid}&arg=/x/below`,
  'files/mv?arg=/x&arg=/z',
  'files/mv?arg=/z&arg=/x',
  'files/chmod?arg=0644&arg=/x',
  'files/touch?arg=/x',
  'files/chcid?arg=/x&cid-version=1',
  'files/flush?arg=/x',
] as const;
const writes = ['files/write?arg=/x&offset=2&truncate=false', 'files/write?arg=/x/below&create=true&parents=true'];

test.each(nodes)('files commands respond to %s in the tree', async (_, codec, bytes) => {
  const put = await ask(`block/put?cid-codec=${codec}`, bytes);
  // Codecs that Kubo's block/put accepts without decoding.
  expect(put.status).toBe(200);
  const { Key: cid } = JSON.parse(put.text) as { Key: string };
  const copied = await ask(`files/cp?arg=/ipfs/${cid}&arg=/x`);
  const answers = [copied];
  for (const command of commands) answers.push(await ask(command));
  for (const command of writes) answers.push(await ask(command, Buffer.from('written')));
  for (const command of ['dag/get', 'ls', 'cat', 'refs', 'dag/stat', 'dag/export', 'object/stat', 'pin/add'])
    answers.push(await ask(`${command}?arg=${cid}`));
  for (const { status, text } of answers) {
    expect([200, 400, 404, 500]).toContain(status);
    // Errors give the reason in the form of Kubo, without internals.
    if (status !== 200) expect(JSON.parse(text)).toMatchObject({ Message: expect.stringMatching(/\S/), Type: 'error' });
    expect(text).not.toMatch(/at .*\.(js|ts):\d+|TypeError|RangeError|undefined|internal error/i);
  }
  for (const path of ['/x', '/y', '/z']) await ask(`files/rm?arg=${path}&recursive=true&force=true`);
  expect(await ask('files/ls?arg=/')).toMatchObject({ status: 200 });
  expect((await ask('files/write?arg=/proof&create=true', Buffer.from('still works'))).status).toBe(200);
  expect(await ask('files/read?arg=/proof')).toEqual({ status: 200, text: 'still works' });
  expect(service.log).not.toMatch(/"level":(50|60)/);
});
