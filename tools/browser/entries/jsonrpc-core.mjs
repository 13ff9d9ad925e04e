export * from '@cairn/jsonrpc-core';
