import type { BillingProvider } from './billing-provider.ts';
import { BillingError } from './errors.ts';

/** Provider without online payment: the operator attaches cards by command or in the console. */
export const localBilling: BillingProvider = {
  name: 'local',
  async attach({ name }) {
    const text = `Ask the operator of this service to attach a card to the account ${name}; this deployment does not accept cards online.`;
    return { kind: 'ask', text };
  },
  async changePlan({ name }, plan) {
    if ((plan.pricePerMonth ?? 0) === 0) return { kind: 'free' };
    const text = `Ask the operator of this service for the plan ${plan.title} for the account ${name}; this deployment takes no payments online.`;
    return { kind: 'ask', text };
  },
  async invoices() {
    return [];
  },
  async webhook() {
    throw new BillingError('WEBHOOK_NOT_EXPECTED', 'No payment provider is configured.', {
      hint: 'Set CAIRN_STRIPE_SECRET_KEY and CAIRN_STRIPE_WEBHOOK_SECRET.',
    });
  },
};
