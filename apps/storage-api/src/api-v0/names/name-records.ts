import type { Principal } from '@cairn/auth';
import type { CID } from '@cairn/cid';
import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import { AccountNames, type LookupOptions } from './account-names.ts';

const offline = "this action must be run in online mode, try running 'ipfs daemon' first";

/** Records as bytes, for the commands that read and store them. */
@Injectable()
export class AccountRecords {
  constructor(
    @Inject(AccountNames) private readonly names: AccountNames,
    @Inject(PEER_API) private readonly peer: PeerApi | undefined,
  ) {}

  /** @throws ApiError 500 without a network, in Kubo's words */
  requireOnline(message = offline): void {
    if (this.peer === undefined) throw new ApiError(500, message);
  }

  /** Returns the newest record of a name. @throws ApiError 500 in Kubo's words */
  async get(principal: Principal, name: CID, options: LookupOptions): Promise<Uint8Array> {
    const bytes = await this.names.record(principal, name, options);
    if (bytes === undefined) throw new ApiError(500, 'routing: not found');
    return bytes;
  }

  /**
   * Stores a record, which anybody may have signed. The schedule puts it to the network.
   * @throws IPNS_RECORD_INVALID, NAMES_FULL; ApiError 500 if a newer record is stored
   */
  async put({ account }: Principal, name: CID, bytes: Uint8Array): Promise<void> {
    const outcome = await this.names.store.records.put(name, bytes, { account: account.id });
    // The message of a DHT.
    if (outcome === 'older') throw new ApiError(500, "can't replace a newer value with an older value");
  }
}
