import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Block,
  type ChainSpec,
  decodeBlock,
  type GenesisAccount,
  type Hex,
  parseGethGenesis,
} from '@cairn/block-model';
import { conformanceDirectory, type MemoryAccount } from '@cairn/block-model/testing';

/** Recorded chain through every fork: rules, blocks from number 1, and accounts before and after them. */
export function readRecordedChain(): {
  readonly spec: ChainSpec;
  readonly blocks: readonly Block[];
  readonly genesis: Readonly<Record<Hex, MemoryAccount>>;
  readonly head: Readonly<Record<Hex, MemoryAccount>>;
} {
  const read = (file: string) => readFileSync(join(conformanceDirectory, 'execution-apis', file));
  const { spec, alloc } = parseGethGenesis('hive', JSON.parse(read('genesis.json').toString()));
  const { accounts } = JSON.parse(read('headstate.json').toString());
  const blocks = rlpItems(read('chain.rlp')).map((raw) => decodeBlock(raw));
  return { spec, blocks, genesis: accountsOf(alloc), head: accountsOf(accounts) };
}

function accountsOf(accounts: Readonly<Record<string, GenesisAccount>>): Readonly<Record<Hex, MemoryAccount>> {
  const entries = Object.entries(accounts).map(([address, { balance, nonce, code, storage }]): [Hex, MemoryAccount] => [
    `0x${address.replace(/^0x/, '').toLowerCase()}`,
    {
      balance: BigInt(balance),
      nonce: BigInt(nonce ?? 0),
      ...(code !== undefined && { code: code as Hex }),
      storage: Object.fromEntries(
        Object.entries(storage ?? {}).map(([slot, value]) => [
          slot,
          `0x${value.replace(/^0x/, '').padStart(64, '0')}` as Hex,
        ]),
      ),
    },
  ]);
  return Object.fromEntries(entries);
}

/** Splits concatenated RLP lists, the format of `geth export`. */
function rlpItems(file: Buffer): Uint8Array[] {
  const items: Uint8Array[] = [];
  for (let at = 0; at < file.length; ) {
    const lengthBytes = file.readUInt8(at) - 0xf7;
    const end = at + 1 + lengthBytes + file.readUIntBE(at + 1, lengthBytes);
    items.push(new Uint8Array(file.subarray(at, end)));
    at = end;
  }
  return items;
}
