/** Decodes SSZ light client data of Deneb and later to the JSON of the Beacon API. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  hex(length: number): string {
    const text = `0x${this.#bytes.subarray(this.#at, this.#at + length).toString('hex')}`;
    this.#at += length;
    return text;
  }

  uint(length: number): string {
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`).toString();
  }

  hexes(count: number, length: number): string[] {
    return Array.from({ length: count }, () => this.hex(length));
  }

  offset(): number {
    return Number(this.uint(4));
  }

  slice(from: number, to?: number): Buffer {
    return this.#bytes.subarray(from, to);
  }
}

const beaconFields = ['parent_root', 'state_root', 'body_root'] as const;

function headerOf(bytes: Buffer): object {
  const reader = new Reader(bytes);
  const beacon = {
    slot: reader.uint(8),
    proposer_index: reader.uint(8),
    ...Object.fromEntries(beaconFields.map((name) => [name, reader.hex(32)])),
  };
  const execution = executionOf(reader.slice(reader.offset()));
  return { beacon, execution, execution_branch: reader.hexes(4, 32) };
}

function executionOf(bytes: Buffer): object {
  const reader = new Reader(bytes);
  const start = {
    parent_hash: reader.hex(32),
    fee_recipient: reader.hex(20),
    state_root: reader.hex(32),
    receipts_root: reader.hex(32),
    logs_bloom: reader.hex(256),
    prev_randao: reader.hex(32),
    block_number: reader.uint(8),
    gas_limit: reader.uint(8),
    gas_used: reader.uint(8),
    timestamp: reader.uint(8),
  };
  const extra = reader.offset();
  return {
    ...start,
    extra_data: `0x${reader.slice(extra).toString('hex')}`,
    base_fee_per_gas: reader.uint(32),
    block_hash: reader.hex(32),
    transactions_root: reader.hex(32),
    withdrawals_root: reader.hex(32),
    blob_gas_used: reader.uint(8),
    excess_blob_gas: reader.uint(8),
  };
}

const committeeOf = (reader: Reader, size: number) => ({
  pubkeys: reader.hexes(size, 48),
  aggregate_pubkey: reader.hex(48),
});

/** @param isElectra branches in the state are one node longer from Electra on */
export function bootstrapJson(bytes: Buffer, size: number, isElectra: boolean): object {
  const reader = new Reader(bytes);
  const header = headerOf(reader.slice(reader.offset()));
  return {
    data: {
      header,
      current_sync_committee: committeeOf(reader, size),
      current_sync_committee_branch: reader.hexes(isElectra ? 6 : 5, 32),
    },
  };
}

export function updateJson(bytes: Buffer, size: number, isElectra: boolean): object {
  const reader = new Reader(bytes);
  const attestedAt = reader.offset();
  const committee = committeeOf(reader, size);
  const committeeBranch = reader.hexes(isElectra ? 6 : 5, 32);
  const finalizedAt = reader.offset();
  return {
    data: {
      attested_header: headerOf(reader.slice(attestedAt, finalizedAt)),
      next_sync_committee: committee,
      next_sync_committee_branch: committeeBranch,
      finalized_header: headerOf(reader.slice(finalizedAt)),
      finality_branch: reader.hexes(isElectra ? 7 : 6, 32),
      sync_aggregate: { sync_committee_bits: reader.hex(size / 8), sync_committee_signature: reader.hex(96) },
      signature_slot: reader.uint(8),
    },
  };
}
