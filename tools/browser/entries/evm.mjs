export * from '@cairn/evm';
