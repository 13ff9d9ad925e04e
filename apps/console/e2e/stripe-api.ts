import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Server with the answers of Stripe's API that the console reads. */
export interface StripeApi {
  readonly url: string;
  stop(): Promise<unknown>;
}

const invoice = {
  ...{ id: 'in_1', object: 'invoice', number: 'A-0001', created: 1_790_000_000, total: 1900, currency: 'eur' },
  ...{ status: 'paid', hosted_invoice_url: 'https://invoice.example/in_1' },
};

export async function startStripeApi(): Promise<StripeApi> {
  const server = createServer((request, response) => {
    request.resume();
    const path = request.url ?? '';
    response.writeHead(200, { 'content-type': 'application/json' });
    if (path === '/v1/customers') response.end(JSON.stringify({ id: 'cus_1', object: 'customer' }));
    else if (path.startsWith('/v1/invoices')) response.end(JSON.stringify({ object: 'list', data: [invoice] }));
    else if (path === '/v1/checkout/sessions')
      response.end(JSON.stringify({ id: 'cs_1', object: 'checkout.session', url: 'https://checkout.example/cs_1' }));
    else response.end(JSON.stringify({ id: 'pm_1', object: 'payment_method', card: { brand: 'visa', last4: '4242' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
