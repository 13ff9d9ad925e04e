import type { ConnectionEncrypter, MessageStream, SecuredConnection } from '@libp2p/interface';
import type { Uint8ArrayList } from 'uint8arraylist';

/** Bytes of the authentication tag at the end of an encrypted frame. */
const tagBytes = 16;

type Frame = Uint8Array | Uint8ArrayList;

/** Part of the encrypted connection of js-libp2p's noise, private in its types. */
export interface Decrypting {
  readonly handshake: { decrypt(ciphertext: Frame): Frame };
  decrypt(frame: Frame): Frame;
}

/**
 * Decrypts each frame without a copy of it. js-libp2p copies a frame that spans two reads of the socket, as a destination that
 * the cipher of Node does not use. Most frames of 64 KiB span two reads.
 */
export function decryptDirectly(connection: Partial<Decrypting>): void {
  const { handshake } = connection;
  if (handshake === undefined || connection.decrypt === undefined) return;
  connection.decrypt = (frame) => {
    if (frame.byteLength < tagBytes) throw new Error('An encrypted frame is shorter than its authentication tag.');
    return handshake.decrypt(frame);
  };
}

/** Applies `decryptDirectly` to each connection of a noise of js-libp2p. */
export function directNoise<Components, Extension>(
  create: (components: Components) => ConnectionEncrypter<Extension>,
): (components: Components) => ConnectionEncrypter<Extension> {
  const direct = async (secured: Promise<SecuredConnection<Extension>>) => {
    const result = await secured;
    decryptDirectly(result.connection as MessageStream & Partial<Decrypting>);
    return result;
  };
  return (components) => {
    const encrypter = create(components);
    const secureInbound = encrypter.secureInbound.bind(encrypter);
    const secureOutbound = encrypter.secureOutbound.bind(encrypter);
    encrypter.secureInbound = (...options) => direct(secureInbound(...options));
    encrypter.secureOutbound = (...options) => direct(secureOutbound(...options));
    return encrypter;
  };
}
