export { DISPATCHER, JsonrpcModule, type JsonrpcModuleOptions } from './jsonrpc.module.ts';
