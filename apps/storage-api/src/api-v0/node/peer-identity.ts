import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { base58btc } from 'multiformats/bases/base58';
import type { StorageSettings } from '../../settings.ts';

/** Header of an Ed25519 key in the protobuf that libp2p hashes: type 1, 32 bytes. */
const publicKeyPrefix = Buffer.from('08011220', 'hex');
/** Multihash `identity` over 36 bytes: short keys are their own names. */
const multihashPrefix = Buffer.from('0024', 'hex');

export interface Identity {
  /** A peer ID in libp2p's text form (https://github.com/libp2p/specs/blob/master/peer-ids/peer-ids.md). */
  readonly id: string;
  /** Protobuf of the public key in base64. */
  readonly publicKey: string;
}

/** Key of the service for `id`, created at its first use and stored beside the stores. */
@Injectable()
export class PeerIdentity {
  #identity: Promise<Identity> | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: StorageSettings) {}

  get(): Promise<Identity> {
    this.#identity ??= this.#load().catch((error: unknown) => {
      this.#identity = undefined;
      throw error;
    });
    return this.#identity;
  }

  async #load(): Promise<Identity> {
    const key = createPublicKey(await this.#privateKey()).export({ format: 'der', type: 'spki' });
    // The last 32 bytes of its DER are the key itself (RFC 8410).
    const publicKey = Buffer.concat([publicKeyPrefix, key.subarray(-32)]);
    const id = base58btc.baseEncode(Buffer.concat([multihashPrefix, publicKey]));
    return { id, publicKey: publicKey.toString('base64') };
  }

  async #privateKey(): Promise<KeyObject> {
    const file = join(this.settings.CAIRN_HOME, 'identity.pem');
    const known = await readFile(file, 'utf8').catch(() => undefined);
    if (known !== undefined) return createPrivateKey(known);
    const { privateKey } = generateKeyPairSync('ed25519');
    const draft = `${file}.${process.pid}`;
    await mkdir(this.settings.CAIRN_HOME, { recursive: true, mode: 0o700 });
    await writeFile(draft, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flush: true });
    // The first process to link sets the identity, so that all processes on one home share it.
    await link(draft, file).catch((error: unknown) => {
      if (!(error instanceof Object && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    await rm(draft);
    return createPrivateKey(await readFile(file, 'utf8'));
  }
}
