/** Genesis of a private chain, in geth's format, without accounts. */
export const emptyGenesis = {
  config: { chainId: 4242, homesteadBlock: 0, eip150Block: 0, eip155Block: 0, eip158Block: 0, byzantiumBlock: 0 },
  difficulty: '0x1',
  gasLimit: '0x1c9c380',
  nonce: '0x0',
  timestamp: '0x0',
  extraData: '0x',
  mixHash: `0x${'00'.repeat(32)}`,
  coinbase: `0x${'00'.repeat(20)}`,
};
