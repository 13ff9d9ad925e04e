/** Bounds of names, records and keys. */
export const limits = {
  /** Bytes of a record (https://specs.ipfs.tech/ipns/ipns-record/#record-size-limit). */
  recordBytesMax: 10_240,
  /** Names that lead to names: a loop ends here. Kubo's bound. */
  nameDepthMax: 32,
  /** Segments of a resolved path: each can cost a block read. */
  segmentsMax: 256,
  /** Bits of an RSA key: Kubo's bounds for generation. Verification of larger ones takes long. */
  rsaBitsMin: 2048,
  rsaBitsMax: 8192,
  /** Bytes of a private key in libp2p's encoding: RSA of 8192 bits has 4.7 kB. */
  privateKeyBytesMax: 8192,
  /** Characters of the label of a key. Kubo's file system ends at a similar length. */
  labelCharactersMax: 128,
  /** Keys of an account. */
  keysPerAccountMax: 1000,
  /** Records whose storage one account pays, and their bytes. */
  recordsPerAccountMax: 10_000,
  recordBytesPerAccountMax: 32 * 1024 * 1024,
  /** Records of all accounts: at most 10 GiB. */
  recordsMax: 1_000_000,
  /** Milliseconds to the end of a record that a publisher may choose: the range of a date. */
  validityMsMax: 100 * 365 * 24 * 3600 * 1000,
} as const;
