export {
  type DispatchedCall,
  Dispatcher,
  type DispatcherLimits,
  type DispatcherOptions,
  defaultLimits,
  errorLine,
} from './dispatcher.ts';
export {
  type AnyMethod,
  defineMethod,
  type MethodDefinition,
  type ParamDefinition,
  type ParamValues,
  RawJson,
} from './method.ts';
export { RpcError, type RpcErrorEntry, type RpcErrorName, rpcErrors } from './rpc-error.ts';
