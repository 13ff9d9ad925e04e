import { blockToJson, bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import type { ChainStore } from '@cairn/chain-store';

/** Answers the methods of a node from a store. */
export class StoreNode {
  readonly #store: ChainStore;

  constructor(store: ChainStore) {
    this.#store = store;
  }

  answer(method: string, params: readonly unknown[]): unknown {
    const store = this.#store;
    const hashOf = (name: unknown) =>
      name === 'latest'
        ? store.head.hash
        : (name as string).length < 66
          ? store.hashByNumber(BigInt(name as string))
          : name;
    if (method === 'eth_getBlockByHash' || method === 'eth_getBlockByNumber') {
      const block = store.block(hashOf(params[0]) as Hex);
      return block === undefined ? null : blockToJson(block, { full: params[1] === true });
    }
    if (method === 'eth_getUncleByBlockHashAndIndex') {
      const uncle = store.block(params[0] as Hex)?.uncles[Number(params[1])];
      return uncle && blockToJson({ header: uncle, transactions: [], uncles: [], size: 0 }, { full: false });
    }
    if (method !== 'eth_getProof' && method !== 'eth_getCode') return new Error(`the method ${method} does not exist`);
    const { blockHash } = (params.at(-1) ?? {}) as { blockHash: Hex };
    const address = bytesFromHex(params[0] as Hex);
    if (method === 'eth_getProof') {
      const proof = store.proof(blockHash, address, (params[1] as Hex[]).map(bytesFromHex));
      return {
        accountProof: proof?.accountNodes.map(hexFromBytes),
        storageProof: proof?.slots.map(({ nodes }) => ({ proof: nodes.map(hexFromBytes) })),
      };
    }
    const state = store.stateAt(blockHash);
    const account = state?.getAccount(address);
    return account && state ? hexFromBytes(state.getCode(account.codeHash)) : '0x';
  }
}
