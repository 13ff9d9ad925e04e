import { generateIpnsKey, type IpnsKey, ipnsLimits } from '@cairn/ipns';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';

/** RSA keys that wait for generation. */
const waitingMax = 16;

/** Generates keys. RSA keys take seconds of a thread of the crypto pool, so that one is generated at a time. */
@Injectable()
export class KeyGenerator {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @throws IPNS_KEY_INVALID; ApiError 429 while many RSA keys wait */
  async generate(type: 'ed25519' | 'rsa', bits: number | undefined, signal: AbortSignal): Promise<IpnsKey> {
    if (type === 'ed25519') return await generateIpnsKey({ type });
    const options = { type, ...(bits !== undefined && { bits }) };
    if (bits !== undefined && (bits < ipnsLimits.rsaBitsMin || bits > ipnsLimits.rsaBitsMax))
      return await generateIpnsKey(options);
    if (this.#waiting >= waitingMax)
      throw new ApiError(429, `${waitingMax} RSA keys wait for generation; retry later or use type ed25519`, {
        'retry-after': '10',
      });
    this.#waiting++;
    const before = this.#last;
    const generated = before.then(async () => {
      signal.throwIfAborted();
      return await generateIpnsKey(options);
    });
    this.#last = generated.catch(() => undefined).finally(() => this.#waiting--);
    return await generated;
  }
}
