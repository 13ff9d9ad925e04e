export {
  createVerifyingProvider,
  type VerifyingProvider,
  type VerifyingProviderOptions,
} from './create-provider.ts';
export {
  type HttpRequestOptions,
  httpRequest,
  ProviderRpcError,
  type RpcCall,
  type RpcRequest,
} from './rpc-request.ts';
export { agreedHead, headOfGateway, headOfLightClient, type TrustedHead, type TrustedHeads } from './trusted-head.ts';
