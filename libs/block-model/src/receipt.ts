import { keccak256 } from '@cairn/cid';
import { DecodeError, encodeRlp } from '@cairn/rlp';
import { orderedTrieRoot } from '@cairn/trie';
import { filteredOfLog, rlpOfLog } from './bytes-log.ts';
import { CorruptBlockError } from './errors.ts';
import { FieldReader } from './field-reader.ts';
import type { Header } from './header.ts';
import { bytesFromBigint, bytesFromHex, type Hex, hexFromBytes } from './hex.ts';
import type { Log } from './log.ts';
import { depositType } from './op-stack/deposit.ts';

/** Result of a transaction. Has either `status` or, before Byzantium, `root`. */
export interface Receipt {
  /** Type of the transaction. */
  readonly type: number;
  /** True when the transaction succeeded (EIP-658). */
  readonly status?: boolean;
  /** State root after the transaction. */
  readonly root?: Hex;
  /** Gas of this transaction and all earlier ones in the block. */
  readonly cumulativeGasUsed: bigint;
  readonly logsBloom: Hex;
  readonly logs: readonly Log[];
  /** Nonce of the sender before a deposit of the OP stack. Part of the receipts root since the Canyon fork only. */
  readonly depositNonce?: bigint;
  readonly depositReceiptVersion?: bigint;
  /** JSON of a receipt in a block with types of no known format. Nothing in it is proven. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** Reads a receipt in the encoding of the receipts trie (EIP-2718). @throws DECODE_FAILED naming the field */
export function decodeReceipt(raw: Uint8Array): Receipt {
  const first = raw[0] ?? 0;
  if (first >= 0xc0) return { type: 0, ...decodeFields(raw) };
  if (first !== depositType && (first < 1 || first > 4)) throw new DecodeError('receipt', `type ${first} is unknown`);
  return { type: first, ...decodeFields(raw.subarray(1), first === depositType) };
}

function decodeFields(payload: Uint8Array, isDeposit = false): Omit<Receipt, 'type'> {
  const fields = FieldReader.over('receipt', payload);
  const outcome = fields.bytes('status or root', 0, 1, 32);
  if (outcome.length === 1 && outcome[0] !== 1) {
    throw new DecodeError('receipt, field status', `expected no bytes or 1, found ${outcome[0]}`);
  }
  const receipt = {
    ...(outcome.length === 32 ? { root: hexFromBytes(outcome) } : { status: outcome.length === 1 }),
    cumulativeGasUsed: fields.integer('cumulativeGasUsed'),
    logsBloom: hexFromBytes(fields.bytes('logsBloom', 256)),
    logs: fields.list('logs', 'logs', (logs) => logs.record('log', 'log', decodeLog)),
    ...(isDeposit &&
      !fields.isDone && {
        depositNonce: fields.integer('depositNonce'),
        depositReceiptVersion: fields.integer('depositReceiptVersion'),
      }),
  };
  fields.end();
  return receipt;
}

function decodeLog(fields: FieldReader): Log {
  return {
    address: hexFromBytes(fields.bytes('address', 20)),
    topics: fields.list('topics', 'topics', (topics) => hexFromBytes(topics.bytes('topic', 32))),
    data: hexFromBytes(fields.bytes('data')),
  };
}

/** Encodes a receipt for the receipts trie. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const { type, status, root, cumulativeGasUsed, logsBloom, logs } = receipt;
  const outcome = root === undefined ? bytesFromBigint(status === true ? 1n : 0n) : bytesFromHex(root);
  const fields = [
    outcome,
    bytesFromBigint(cumulativeGasUsed),
    bytesFromHex(logsBloom),
    logs.map(rlpOfLog),
    ...depositFields(receipt),
  ];
  const payload = encodeRlp(fields);
  if (type === 0) return payload;
  const raw = new Uint8Array(payload.length + 1);
  raw[0] = type;
  raw.set(payload, 1);
  return raw;
}

/** Without a version, the nonce is not part of the receipts root: Regolith omitted it by mistake, and Canyon added both. */
function depositFields({ depositNonce = 0n, depositReceiptVersion }: Receipt): Uint8Array[] {
  return depositReceiptVersion === undefined ? [] : [depositNonce, depositReceiptVersion].map(bytesFromBigint);
}

/** Computes the root of the trie of a block's receipts. */
export function receiptsRoot(receipts: readonly Receipt[]): Hex {
  return hexFromBytes(orderedTrieRoot(receipts.map(encodeReceipt)));
}

/** Computes the filter of 2,048 bits over addresses and topics of logs (Yellow Paper, section 4.3.1). */
export function logsBloomOf(logs: readonly Log[]): Hex {
  const bloom = new Uint8Array(256);
  for (const log of logs) {
    for (const value of filteredOfLog(log)) {
      const hash = keccak256(value);
      for (const at of [0, 2, 4]) {
        const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
        const byte = 255 - (bit >> 3);
        bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
      }
    }
  }
  return hexFromBytes(bloom);
}

/**
 * Verifies the receipts of a block against receiptsRoot, logsBloom and gasUsed of its header.
 * @throws BLOCK_CORRUPT naming the field that differs
 */
export function verifyReceipts(
  header: Pick<Header, 'hash' | 'receiptsRoot' | 'logsBloom' | 'gasUsed'>,
  receipts: readonly Receipt[],
): void {
  const hold = (field: string, expected: string | bigint, actual: string | bigint) => {
    if (expected !== actual) throw new CorruptBlockError(header.hash, field, `${expected}`, `${actual}`);
  };
  hold('receiptsRoot', header.receiptsRoot, receiptsRoot(receipts));
  hold('logsBloom', header.logsBloom, logsBloomOf(receipts.flatMap(({ logs }) => logs)));
  hold('gasUsed', header.gasUsed, receipts.at(-1)?.cumulativeGasUsed ?? 0n);
}
