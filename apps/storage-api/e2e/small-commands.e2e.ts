import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Service } from './service.ts';

// Expected values are responses of Kubo 0.42, where it has the command and the response does not depend on the node.
const service = new Service();
const version0 = 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN';
const version1 = 'bafybeiffndsajwhk3lwjewwdxqntmjm4b5wxaaanokonsggenkbw6slwk4';

beforeAll(async () => {
  await service.makeAccounts();
  await service.start();
});
afterAll(() => service.remove());

async function ask(path: string, file?: string) {
  const body = new FormData();
  if (file !== undefined) body.set('file', new Blob([file]), 'file');
  const answer = await service.post(path, file === undefined ? {} : { body });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
const json = async (path: string) => JSON.parse((await ask(path)).text);
const message = (text: string) => ({ Message: text, Code: 0, Type: 'error' });

test('cid/format and cid/base32 send a line for each CID, and the reason for a text that is not one', async () => {
  const { text, headers } = await ask(`cid/format?arg=${version0}&arg=bad&v=1&b=base32`);
  expect(headers.get('x-chunked-output')).toBe('1');
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { CidStr: version0, Formatted: version1, ErrorMsg: '' },
    {
      CidStr: 'bad',
      Formatted: '',
      ErrorMsg: 'invalid cid: invalid cid: expected 1 as the cid version number, got: 0',
    },
  ]);
  expect(await json(`cid/base32?arg=${version0}`)).toMatchObject({ Formatted: version1 });
  expect(await json(`cid/format?arg=${version0}&mc=nope`)).toEqual(message('unknown multicodec: "nope"'));
  expect(await json(`cid/inspect?arg=${version1}`)).toMatchObject({ cidV0: version0, multicodec: { name: 'dag-pb' } });
});

test("cid and multibase commands return Kubo's lists", async () => {
  const [bases, codecs, supported, hashes, list] = await Promise.all(
    ['cid/bases', 'cid/codecs', 'cid/codecs?supported=true', 'cid/hashes', 'multibase/list'].map(json),
  );
  expect([bases.length, codecs.length, supported.length, hashes.length]).toEqual([21, 44, 9, 73]);
  expect(list).toEqual(bases);
  expect(hashes).toContainEqual({ Code: 18, Name: 'sha2-256' });
});

test('multibase encodes, decodes and transcodes the file of a request', async () => {
  const encoded = await ask('multibase/encode?b=base16', 'hello');
  expect([encoded.text, encoded.headers.get('x-stream-output')]).toEqual(['f68656c6c6f', '1']);
  expect((await ask('multibase/decode', 'f68656c6c6f')).text).toBe('hello');
  expect((await ask('multibase/transcode', 'f68656c6c6f')).text).toBe('uaGVsbG8');
  expect(await ask('multibase/decode')).toMatchObject({
    status: 400,
    text: "file argument 'encoded_file' is required\n",
  });
  expect(JSON.parse((await ask('multibase/decode', '%bad')).text)).toEqual(
    message('failed to decode multibase: selected encoding not supported'),
  );
});

test('config is read only and shows no secret', async () => {
  expect(await json('config?arg=Import.CidVersion')).toEqual({ Key: 'Import.CidVersion', Value: 0 });
  const shown = await json('config/show');
  expect(shown.Identity).toEqual({ PeerID: (await json('id')).ID });
  expect(JSON.stringify(shown)).not.toMatch(/secret|priv|\/tmp/i);
  expect(await json('config?arg=Import.CidVersion&arg=1')).toMatchObject({
    Message: expect.stringMatching(/read only/),
  });
  expect(await json('config?arg=Nosuch.Key')).toEqual(message('failed to get config value: "Nosuch not found"'));
  for (const path of ['config/replace', 'config/profile/apply?arg=test']) {
    expect(await ask(path)).toMatchObject({ status: 500, text: expect.stringContaining('belongs to the operator') });
  }
});

test('commands lists the offered commands, with options and their second names', async () => {
  const { Name, Subcommands } = await json('commands');
  const named = (name: string) => Subcommands.find((each: { Name: string }) => each.Name === name);
  expect([Name, named('swarm'), named('shutdown')]).toEqual(['ipfs', undefined, undefined]);
  expect(named('object').Subcommands).toContainEqual({
    Name: 'diff',
    Subcommands: [],
    Options: [{ Names: ['verbose', 'v'] }],
  });
});

test('version/deps, stats/bw and repo/ls respond for the service and the account', async () => {
  const lines = (await ask('version/deps')).text.trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ Path: '@cairn/storage-api', ReplacedBy: '', Sum: '' });
  const bandwidth = await json('stats/bw');
  expect(Object.keys(bandwidth)).toEqual(['TotalIn', 'TotalOut', 'RateIn', 'RateOut']);
  await service.add('for repo/ls');
  expect((await ask('repo/ls')).text).toBe((await ask('refs/local')).text);
});

test('version, repo/version and repo/stat give the version of the repository of Kubo 0.42', async () => {
  expect(await json('version')).toMatchObject({ Repo: '18' });
  expect(await json('repo/version')).toEqual({ Version: '18' });
  expect(await json('repo/stat')).toMatchObject({ Version: 'fs-repo@18' });
});

test('object/diff lists links that differ', async () => {
  const empty = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn';
  const [file] = await service.add('hello\n');
  await service.post('files/mkdir?arg=/empty');
  const { Hash } = await json(`object/patch/add-link?arg=${empty}&arg=new.txt&arg=${file?.Hash}`);
  expect(await json(`object/diff?arg=${empty}&arg=${Hash}`)).toEqual({
    Changes: [{ Type: 0, Path: 'new.txt', Before: null, After: { '/': version0 } }],
  });
});

test('commands that a shared service does not offer give the reason, and groups of commands send nothing', async () => {
  expect(await ask('swarm/peers')).toMatchObject({
    status: 500,
    text: `${JSON.stringify(message("this action must be run in online mode, try running 'ipfs daemon' first"))}\n`,
  });
  expect(await ask('object/get?arg=x')).toMatchObject({
    status: 500,
    text: `${JSON.stringify(message("removed, use 'ipfs dag' or 'ipfs files' instead"))}\n`,
  });
  expect(await ask('swarm/connect')).toMatchObject({ status: 400, text: 'argument "address" is required\n' });
  for (const group of ['cid', 'multibase', 'swarm/peering', 'name'])
    expect(await ask(group)).toMatchObject({ status: 200, text: '' });
  for (const path of ['commands/completion', 'commands/completion/bash', 'config/edit', 'key/export?arg=self', 'init'])
    expect(await ask(path)).toMatchObject({ status: 404, text: '404 page not found\n' });
});
