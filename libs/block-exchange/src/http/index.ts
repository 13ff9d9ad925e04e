export { createHttpExchange, type HttpExchangeOptions } from './http-exchange.ts';
export { type HttpExchangeLimits, httpExchangeLimits } from './limits.ts';
