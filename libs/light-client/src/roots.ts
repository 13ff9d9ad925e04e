import type { BeaconHeader, ExecutionHeader, SyncCommittee } from './light-client-data.ts';
import { bytesRoot, containerRoot, merkleize, shortListRoot, uintRoot } from './ssz.ts';

/** `hash_tree_root(BeaconBlockHeader)`: the root of the block. */
export function beaconHeaderRoot(header: BeaconHeader): Uint8Array {
  const { slot, proposerIndex, parentRoot, stateRoot, bodyRoot } = header;
  return containerRoot([uintRoot(slot), uintRoot(proposerIndex), parentRoot, stateRoot, bodyRoot]);
}

/** `hash_tree_root(ExecutionPayloadHeader)` of Capella, or of Deneb and later. */
export function executionHeaderRoot(header: ExecutionHeader, isDeneb: boolean): Uint8Array {
  const fields = [
    header.parentHash,
    bytesRoot(header.feeRecipient),
    header.stateRoot,
    header.receiptsRoot,
    bytesRoot(header.logsBloom),
    header.prevRandao,
    uintRoot(header.blockNumber),
    uintRoot(header.gasLimit),
    uintRoot(header.gasUsed),
    uintRoot(header.timestamp),
    shortListRoot(header.extraData),
    uintRoot(header.baseFeePerGas),
    header.blockHash,
    header.transactionsRoot,
    header.withdrawalsRoot,
  ];
  if (isDeneb) fields.push(uintRoot(header.blobGasUsed ?? 0n), uintRoot(header.excessBlobGas ?? 0n));
  return containerRoot(fields);
}

/** `hash_tree_root(SyncCommittee)`. */
export function syncCommitteeRoot({ pubkeys, aggregatePubkey }: SyncCommittee): Uint8Array {
  return containerRoot([merkleize(pubkeys.map(bytesRoot), pubkeys.length), bytesRoot(aggregatePubkey)]);
}

/** `compute_signing_root` of a beacon header. */
export function signingRoot(header: BeaconHeader, domain: Uint8Array): Uint8Array {
  return containerRoot([beaconHeaderRoot(header), domain]);
}
