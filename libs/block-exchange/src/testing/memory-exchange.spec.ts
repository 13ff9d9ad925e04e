import { createMemoryExchange, describeBlockExchange } from './index.ts';

describeBlockExchange('createMemoryExchange', async () => {
  const exchange = createMemoryExchange();
  return {
    exchange,
    startNode: async () => exchange.addNode(),
    startWrongNode: async () => exchange.addWrongNode(),
    stop: async () => {},
  };
});
