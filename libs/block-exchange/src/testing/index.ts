export {
  describeBlockExchange,
  type ExchangeHarness,
  type ExchangeSuiteOptions,
  type RemoteNode,
} from './describe-block-exchange.ts';
export { createMemoryExchange, type MemoryExchange } from './memory-exchange.ts';
