import 'reflect-metadata';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { BlockstoreModule } from '@cairn/blockstore/nest';
import { describe, expect, test } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { Unixfs, UnixfsModule } from './index.ts';

describe('UnixfsModule', () => {
  test('Unixfs imports, lists, edits and reads through the store of the application', async () => {
    const store = createMemoryBlockstore();
    const application = await Test.createTestingModule({
      imports: [BlockstoreModule.forRootAsync({ useFactory: () => store }), UnixfsModule],
    }).compile();
    const unixfs = application.get(Unixfs);
    async function* content() {
      yield Buffer.from('hello');
    }
    const imported = [];
    for await (const entry of unixfs.importTree([{ path: 'docs/a.txt', content: content() }])) imported.push(entry);
    const [file, directory] = imported;
    if (file === undefined || directory === undefined) throw new Error('nothing was imported');
    const path = await unixfs.resolvePath(`${directory.cid}/a.txt`);
    expect(path.equals(file.cid)).toBe(true);
    expect(await unixfs.statNode(path)).toMatchObject({ type: 'file', fileSize: 5 });
    const link = { cid: file.cid, name: 'b.txt', tsize: file.dagSize };
    const edited = await unixfs.addLink(directory.cid, link);
    const names: string[] = [];
    for await (const { name } of unixfs.listDirectory(edited.cid)) names.push(name);
    expect(names).toEqual(['a.txt', 'b.txt']);
    expect((await unixfs.removeLink(edited.cid, 'b.txt')).cid.equals(directory.cid)).toBe(true);
    const parts: Uint8Array[] = [];
    for await (const part of unixfs.catFile(file.cid)) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('hello');
    expect((await unixfs.importFile(content())).cid.equals(file.cid)).toBe(true);
    await application.close();
  });
});
