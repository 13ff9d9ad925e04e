export * from '@cairn/evm-executor';
