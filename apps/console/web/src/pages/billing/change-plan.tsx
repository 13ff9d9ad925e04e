import { Alert, Badge, Button, Card, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, type Plan } from '../../api.ts';
import { bytes, count, money, time } from '../../format.ts';
import { Answer, Empty, Failure } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';

interface Offers {
  readonly plans: readonly Plan[];
  /** Plan that follows the paid one. `at`: milliseconds since 1970. */
  readonly next?: { readonly plan: string; readonly at: number };
}

type Step =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'ask'; readonly text: string }
  | { readonly kind: 'changed' }
  | { readonly kind: 'scheduled'; readonly at: number };

/** Plans to choose from, with prices and limits. */
export function ChangePlan({ current, onClose }: { current: string; onClose: () => void }) {
  const offers = useApi<Offers>('billing/plans');
  const [outcome, setOutcome] = useState<string>();
  const change = useChange(
    async (plan: string) => {
      const step = await api<Step>('billing/plan', { method: 'POST', body: { plan } });
      if (step.kind === 'redirect') location.assign(step.url);
      if (step.kind === 'ask') setOutcome(step.text);
      if (step.kind === 'scheduled') setOutcome(`The paid plan stays until ${time(step.at)}.`);
      if (step.kind === 'changed') setOutcome('The plan is changed. Its limits apply within a second.');
    },
    { isQuiet: true },
  );
  return (
    <Modal opened onClose={onClose} title="Change the plan" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Answer query={offers}>
        {({ plans, next }) => (
          <Stack>
            {next !== undefined && <Alert color="orange" title={`The plan ${next.plan} follows on ${time(next.at)}`} />}
            {plans.filter(({ isOffered }) => isOffered).length === 0 && (
              <Empty title="No plans to choose">Ask the operator of this service for another plan.</Empty>
            )}
            {plans.map((plan) => (
              <Offer
                key={plan.name}
                plan={plan}
                isCurrent={plan.name === current}
                isSending={change.isPending}
                onChoose={() => change.mutate(plan.name)}
              />
            ))}
            {change.error && <Failure error={change.error} />}
            {outcome !== undefined && <Text role="status">{outcome}</Text>}
          </Stack>
        )}
      </Answer>
    </Modal>
  );
}

function Offer({
  plan,
  isCurrent,
  isSending,
  onChoose,
}: {
  plan: Plan;
  isCurrent: boolean;
  isSending: boolean;
  onChoose: () => void;
}) {
  const { title, isOffered } = plan;
  return (
    <Card withBorder padding="md" component="section" aria-label={`Plan ${title}`}>
      <Group justify="space-between">
        <Text fw={600}>{title}</Text>
        <Text fw={600}>{priceOf(plan)}</Text>
      </Group>
      <Text size="sm" c="dimmed" mb="xs">
        {limitsOf(plan)}
      </Text>
      {isCurrent && <Badge>Your plan</Badge>}
      {!isCurrent && isOffered && (
        <Button size="xs" loading={isSending} onClick={onChoose} aria-label={`Choose ${title}`}>
          Choose
        </Button>
      )}
    </Card>
  );
}

/** `€19.00 per month` */
export function priceOf({ pricePerMonth, currency }: Plan): string {
  if (pricePerMonth === undefined || currency === undefined) return '';
  return pricePerMonth === 0 ? 'free of charge' : `${money(pricePerMonth, currency)} per month`;
}

function limitsOf({ requestsPerSecond, creditsPerDay, storedBytes }: Plan): string {
  const parts = [
    requestsPerSecond !== undefined && `${count(requestsPerSecond)} requests per second`,
    creditsPerDay !== undefined && `${count(creditsPerDay)} credits per day`,
    storedBytes !== undefined && `${bytes(storedBytes)} stored`,
  ];
  return parts.filter(Boolean).join(', ');
}
