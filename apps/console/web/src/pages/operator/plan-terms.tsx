import { Group, NumberInput, Switch, TextInput } from '@mantine/core';
import type { Plan } from '../../api.ts';

/** Price and offer of a plan, as a form has them. */
export interface Terms {
  /** In the currency, such as 19.99. */
  readonly price: number | string;
  readonly currency: string;
  readonly stripePrice: string;
  readonly isOffered: boolean;
}

/** Fields for price and offer of a plan. */
export function PlanTerms({ terms, onChange }: { terms: Terms; onChange: (terms: Terms) => void }) {
  return (
    <>
      <Group grow align="flex-start">
        <NumberInput
          label="Price per month"
          placeholder="none"
          min={0}
          decimalScale={decimalsOf(terms.currency)}
          value={terms.price}
          onChange={(price) => onChange({ ...terms, price })}
        />
        <TextInput
          label="Currency"
          placeholder="EUR"
          maxLength={3}
          value={terms.currency}
          onChange={(event) => onChange({ ...terms, currency: event.currentTarget.value.toUpperCase() })}
        />
      </Group>
      <TextInput
        label="Price at Stripe"
        description="Members pay for the plan by this price."
        placeholder="price_…"
        value={terms.stripePrice}
        onChange={(event) => onChange({ ...terms, stripePrice: event.currentTarget.value.trim() })}
      />
      <Switch
        label="Members may choose it"
        checked={terms.isOffered}
        onChange={(event) => onChange({ ...terms, isOffered: event.currentTarget.checked })}
      />
    </>
  );
}

export function termsOf({ pricePerMonth, currency = '', stripePrice = '', isOffered = false }: Plan): Terms {
  const price = pricePerMonth === undefined ? '' : pricePerMonth / 10 ** decimalsOf(currency);
  return { price, currency, stripePrice, isOffered };
}

/** Fields of a plan for the API. */
export function planTerms({ price, currency, stripePrice, isOffered }: Terms): Partial<Plan> {
  return {
    ...(price !== '' && { pricePerMonth: Math.round(Number(price) * 10 ** decimalsOf(currency)) }),
    ...(currency !== '' && { currency }),
    ...(stripePrice !== '' && { stripePrice }),
    ...(isOffered && { isOffered }),
  };
}

/** Decimals of a currency: 2 for EUR, 0 for JPY. */
function decimalsOf(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return 2;
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}
