export { invalidArgument } from './bind-params.ts';
export { Dispatcher, errorLine } from './dispatcher.ts';
export {
  type DispatchedCall,
  type DispatcherLimits,
  type DispatcherOptions,
  defaultLimits,
} from './dispatcher-options.ts';
export { EventLoopScheduler } from './event-loop-scheduler.ts';
export {
  type AnyMethod,
  defineMethod,
  type JsonSchema,
  type MethodDefinition,
  type MethodDescription,
  type ParamDefinition,
  type ParamValues,
  RawJson,
} from './method.ts';
export { type MethodGroup, methodsMarkdown } from './methods-markdown.ts';
export { type OpenRpcDocument, type OpenRpcOptions, openRpcDocument } from './open-rpc.ts';
export { RpcError, type RpcErrorEntry, type RpcErrorName, rpcErrors } from './rpc-error.ts';
