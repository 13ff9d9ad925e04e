import { encodeRlp } from '@cairn/rlp';
import { FieldReader } from '../field-reader.ts';
import { bytesFromBigint, bytesFromHex, type Hex, hexFromBytes, quantity } from '../hex.ts';

/** Transaction type of deposits (OP stack specification, "Deposits"). */
export const depositType = 126;

/** Fields that only deposits have. L1 is their source, so they carry no signature. */
export interface Deposit {
  /** Identifies the origin of the deposit. */
  readonly sourceHash: Hex;
  readonly from: Hex;
  /** Wei that the deposit creates on L2. */
  readonly mint: bigint;
  /** Uses no gas of the block. Always false since the Regolith fork. */
  readonly isSystemTransaction: boolean;
}

interface DepositFields {
  /** `null` creates a contract. */
  readonly to: Hex | null;
  readonly value: bigint;
  readonly gas: bigint;
  readonly input: Hex;
  readonly deposit: Deposit;
}

/** Reads a deposit: the type and `[sourceHash, from, to, mint, value, gas, isSystemTx, data]`. @throws DECODE_FAILED */
export function decodeDeposit(raw: Uint8Array, hash: Hex) {
  const reader = FieldReader.over('transaction', raw.subarray(1));
  const sourceHash = hexFromBytes(reader.bytes('sourceHash', 32));
  const from = hexFromBytes(reader.bytes('from', 20));
  const to = reader.bytes('to', 0, 20);
  const mint = reader.integer('mint');
  const call = {
    to: to.length === 0 ? null : hexFromBytes(to),
    value: reader.integer('value'),
    gas: reader.integer('gas'),
  };
  const isSystemTransaction = reader.boolean('isSystemTx');
  const input = hexFromBytes(reader.bytes('data'));
  reader.end();
  const unsigned = { nonce: 0n, gasPrice: 0n, v: 0n, r: 0n, s: 0n };
  return {
    type: depositType,
    hash,
    raw,
    ...unsigned,
    ...call,
    input,
    deposit: { sourceHash, from, mint, isSystemTransaction },
  };
}

/** Encodes a deposit for a block. */
export function encodeDeposit({ to, value, gas, input, deposit }: DepositFields): Uint8Array {
  const { sourceHash, from, mint, isSystemTransaction } = deposit;
  const payload = encodeRlp([
    ...[sourceHash, from, to ?? '0x'].map((field) => bytesFromHex(field as Hex)),
    ...[mint, value, gas, isSystemTransaction ? 1n : 0n].map(bytesFromBigint),
    bytesFromHex(input),
  ]);
  const raw = new Uint8Array(payload.length + 1);
  raw[0] = depositType;
  raw.set(payload, 1);
  return raw;
}

/** Fields of a deposit in the JSON of op-geth. Its nonce is in its receipt, and zero before the Canyon fork. */
export function depositToJson(
  { sourceHash, mint, isSystemTransaction }: Deposit,
  receipt: { readonly depositNonce?: bigint; readonly depositReceiptVersion?: bigint } | undefined,
): Readonly<Record<string, unknown>> {
  const { depositNonce, depositReceiptVersion } = receipt ?? {};
  return {
    sourceHash,
    mint: quantity(mint),
    ...(isSystemTransaction && { isSystemTx: true }),
    ...(depositNonce !== undefined && { nonce: quantity(depositNonce) }),
    ...(depositReceiptVersion !== undefined && { depositReceiptVersion: quantity(depositReceiptVersion) }),
  };
}
