export { JsonrpcModule, type JsonrpcModuleOptions } from './jsonrpc.module.ts';
