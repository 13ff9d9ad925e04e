import { bytesFromHex, hexFromBytes, type Log } from '@cairn/block-model';
import type { EngineMessage, EngineOutcome, ForkRules, PrecompileChanges } from '@cairn/evm';
import { bytesFromHexDigits } from '@cairn/platform';
import {
  EVM,
  EVMError,
  EVMMockBlockchain,
  type EVMRunCallOpts,
  type ExecResult,
  NobleBN254,
  type PrecompileFunc,
} from '@ethereumjs/evm';
import { Address } from '@ethereumjs/util';
import { commonFromChainSpec } from './common.ts';
import { EthereumjsState } from './ethereumjs-state.ts';
import { followEthereumjs } from './ethereumjs-tracing.ts';
import { haltReason } from './halt-reason.ts';

type Block = NonNullable<EVMRunCallOpts['block']>;

/**
 * One EVM of one fork. It is created for that fork and never changes it: an EVM of an early fork has no BLS12-381
 * implementation. It runs one message at a time, since origin and block are fields of the EVM that messages would share.
 */
export class EthereumjsMachine {
  readonly #rules: ForkRules;
  #evm: CallEvm;
  #last: Promise<unknown> = Promise.resolve();

  constructor(rules: ForkRules) {
    this.#rules = rules;
    this.#evm = new CallEvm(rules);
  }

  run(message: EngineMessage): Promise<EngineOutcome> {
    const turn = this.#last.then(() => this.#runNow(message));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #runNow(message: EngineMessage): Promise<EngineOutcome> {
    try {
      return await this.#evm.runMessage(message);
    } catch (error) {
      // A fault outside the bytecode, such as an unreadable state, leaves checkpoints open in the EVM, so it is replaced.
      this.#evm = new CallEvm(this.#rules);
      throw error;
    }
  }
}

/** An EVM whose world state, block hashes and precompiles change from message to message. */
class CallEvm extends EVM {
  readonly #state: EthereumjsState;
  readonly #blocks: BlockHashes;
  readonly #ownPrecompiles: Map<string, PrecompileFunc>;

  constructor({ spec, hardfork }: ForkRules) {
    const common = commonFromChainSpec(spec);
    common.setHardfork(hardfork);
    const stateManager = new EthereumjsState();
    const blockchain = new BlockHashes();
    super({
      common,
      stateManager,
      blockchain,
      bn254: new NobleBN254(),
      // Chains of EIP-225 contain the author in the seal only; bytecode must see the coinbase of the environment.
      cliqueSigner: (header) => header.coinbase,
    });
    this.#state = stateManager;
    this.#blocks = blockchain;
    this.#ownPrecompiles = this._precompiles;
  }

  async runMessage(message: EngineMessage): Promise<EngineOutcome> {
    const sender = new Address(message.sender);
    this.#state.use(message.world);
    this.#blocks.find = message.blockHash;
    this.#changePrecompiles(message.precompiles);
    if (message.rules.isBerlin)
      for (const address of message.rules.precompiles) this.journal.addAlwaysWarmAddress(address);
    for (const { address, storageKeys } of message.warm) {
      this.journal.addAlwaysWarmAddress(address);
      for (const slot of storageKeys) this.journal.addAlwaysWarmSlot(address, slot);
    }
    const stopFollowing = message.tracer && followEthereumjs(this.events, message, message.tracer);
    const { execResult } = await this.runCall({
      block: blockOf(message),
      caller: sender,
      origin: sender,
      ...(message.to !== undefined && { to: new Address(message.to) }),
      value: message.value,
      data: message.data,
      gasLimit: message.gas,
      gasPrice: message.gasPrice,
      blobVersionedHashes: [...message.blobVersionedHashes],
      skipNonceIncrement: true,
    });
    stopFollowing?.();
    const touched = touchedAccounts(this.journal);
    this.journal.cleanJournal();
    this.transientStorage.clear();
    this.#state.use(undefined);
    return outcome(execResult, message, touched);
  }

  #changePrecompiles({ removed, moved }: PrecompileChanges): void {
    const own = this.#ownPrecompiles;
    this._precompiles = own;
    if (removed.size === 0 && moved.size === 0) return;
    const precompiles = new Map(own);
    for (const address of removed) precompiles.delete(address.slice(2));
    for (const [address, from] of moved) {
      const precompile = own.get(from.slice(2));
      if (precompile) precompiles.set(address.slice(2), precompile);
    }
    this._precompiles = precompiles;
  }
}

/** Blocks that BLOCKHASH reads. */
class BlockHashes extends EVMMockBlockchain {
  find: EngineMessage['blockHash'] = () => undefined;

  override async getBlock(number = 0): Promise<{ hash(): Uint8Array<ArrayBuffer> }> {
    const hash = this.find(BigInt(number));
    return { hash: () => (hash === undefined ? new Uint8Array(32) : Uint8Array.from(bytesFromHex(hash))) };
  }
}

function blockOf({ block }: EngineMessage): Block {
  return {
    header: {
      number: block.number,
      coinbase: new Address(bytesFromHex(block.coinbase)),
      timestamp: block.timestamp,
      difficulty: block.difficulty,
      prevRandao: bytesFromHex(block.prevRandao),
      gasLimit: block.gasLimit,
      ...(block.baseFeePerGas !== undefined && { baseFeePerGas: block.baseFeePerGas }),
      getBlobGasPrice: () => block.blobBaseFee,
    },
  };
}

/** Returns accounts that a message wrote to; empty ones are deleted at the end of a transaction. The journal hides them. */
function touchedAccounts(journal: object): Uint8Array[] {
  const { touched } = journal as { readonly touched: ReadonlySet<string> };
  return [...touched].map((address) => bytesFromHexDigits(address));
}

function outcome(result: ExecResult, message: EngineMessage, touched: readonly Uint8Array[]): EngineOutcome {
  const { exceptionError, returnValue, executionGasUsed, gasRefund = 0n, runState } = result;
  const ended = { output: returnValue, gasUsed: executionGasUsed, touched };
  const stays = { ...ended, gasRefund, logs: logsOf(result), destroyed: destroyedAccounts(result, message) };
  if (exceptionError === undefined) return { kind: 'success', ...stays };
  // Frontier creates a contract without code when the gas does not cover the code deposit.
  if (exceptionError.error === EVMError.errorMessages.CODESTORE_OUT_OF_GAS && !message.rules.isHomestead) {
    const reason = haltReason(result, undefined, message.data);
    return { kind: 'halt', ...stays, output: new Uint8Array(0), reason };
  }
  const nothing = { gasRefund: 0n, logs: [], destroyed: [] };
  // Precompiles have no run state, and some report a failure as a revert. In geth a failed precompile always halts.
  if (exceptionError.error === EVMError.errorMessages.REVERT && runState !== undefined) {
    return { kind: 'revert', ...ended, ...nothing };
  }
  const to = message.to && hexFromBytes(message.to);
  const target = (to && message.precompiles.moved.get(to)) ?? to;
  const reason = haltReason(result, target, message.data);
  return { kind: 'halt', ...ended, ...nothing, output: new Uint8Array(0), gasUsed: message.gas, reason };
}

function logsOf({ logs = [] }: ExecResult): Log[] {
  return logs.map(([address, topics, data]) => ({
    address: hexFromBytes(address),
    topics: topics.map(hexFromBytes),
    data: hexFromBytes(data),
  }));
}

function destroyedAccounts({ selfdestruct, createdAddresses }: ExecResult, { rules }: EngineMessage): Uint8Array[] {
  const isOnlyWhenCreated = rules.isCancun;
  return [...(selfdestruct?.keys() ?? [])]
    .filter((address) => !isOnlyWhenCreated || createdAddresses?.has(address))
    .map(bytesFromHex);
}
