import { Button, Card, Group, Modal, NumberInput, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { api, type Plan } from '../../api.ts';
import { BytesInput } from '../../bytes-input.tsx';
import { bytes, count } from '../../format.ts';
import { Answer } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';
import { priceOf } from '../billing/change-plan.tsx';
import { PlanTerms, planTerms, termsOf } from './plan-terms.tsx';

const limits = [
  'requestsPerSecond',
  'burst',
  'creditsPerDay',
  'storedBytes',
  'bytesInPerDay',
  'bytesOutPerDay',
  'concurrentRequests',
  'webSockets',
] as const;
const limitTitles: Readonly<Record<(typeof limits)[number], string>> = {
  requestsPerSecond: 'Requests per second',
  burst: 'Burst',
  creditsPerDay: 'Credits per day',
  storedBytes: 'Stored',
  bytesInPerDay: 'Received per day',
  bytesOutPerDay: 'Sent per day',
  concurrentRequests: 'Concurrent requests per service',
  webSockets: 'WebSockets',
};

const inBytes: readonly string[] = ['storedBytes', 'bytesInPerDay', 'bytesOutPerDay'];

function shown(limit: (typeof limits)[number], value: number | undefined): string {
  if (value === undefined) return 'no limit';
  return inBytes.includes(limit) ? bytes(value) : count(value);
}

/** Plans and their limits. */
export function Plans() {
  const plans = useApi<Plan[]>('operator/plans');
  const [edited, setEdited] = useState<Plan>();
  return (
    <Answer query={plans}>
      {(list) => (
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
            {list.map((plan) => (
              <Card key={plan.name} withBorder padding="lg">
                <Group justify="space-between" mb="sm">
                  <div>
                    <Title order={2} size="h4">
                      {plan.title}
                    </Title>
                    <Text size="xs" c="dimmed" ff="monospace">
                      {plan.name}
                    </Text>
                  </div>
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => setEdited(plan)}
                    aria-label={`Change the plan ${plan.name}`}
                  >
                    Change
                  </Button>
                </Group>
                <Group justify="space-between">
                  <Text size="sm" c="dimmed">
                    Price
                  </Text>
                  <Text size="sm">
                    {priceOf(plan) || 'none'}
                    {plan.isOffered && ', offered'}
                  </Text>
                </Group>
                {limits.map((limit) => (
                  <Group key={limit} justify="space-between" wrap="nowrap" py={2}>
                    <Text size="sm" c="dimmed">
                      {limitTitles[limit]}
                    </Text>
                    <Text size="sm" className="number">
                      {shown(limit, plan[limit])}
                    </Text>
                  </Group>
                ))}
              </Card>
            ))}
          </SimpleGrid>
          <Group>
            <Button variant="default" onClick={() => setEdited({ name: '', title: '' })}>
              New plan
            </Button>
          </Group>
          <Modal
            opened={edited !== undefined}
            onClose={() => setEdited(undefined)}
            title={edited?.title || 'New plan'}
            closeButtonProps={{ 'aria-label': 'Close' }}
          >
            {edited && (
              <PlanForm plan={edited} taken={list.map(({ name }) => name)} onDone={() => setEdited(undefined)} />
            )}
          </Modal>
        </Stack>
      )}
    </Answer>
  );
}

/** @param taken names of plans, which a new plan would replace */
function PlanForm({ plan, taken, onDone }: { plan: Plan; taken: readonly string[]; onDone: () => void }) {
  const initialValues: Record<string, string | number> = { name: plan.name, title: plan.title };
  for (const limit of limits) initialValues[limit] = plan[limit] ?? '';
  const isNew = plan.name === '';
  const form = useForm({
    initialValues,
    validate: {
      name: (name) =>
        isNew && taken.includes(String(name)) ? `The plan ${name} exists already. Choose another name.` : null,
    },
  });
  const [terms, setTerms] = useState(() => termsOf(plan));
  const put = useChange(
    ({ name, ...values }: typeof form.values) =>
      api(`operator/plans/${encodeURIComponent(String(name))}`, {
        method: 'PUT',
        body: {
          ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
          ...(plan.methods && { methods: plan.methods }),
          ...planTerms(terms),
        },
      }),
    { done: 'Saved. The plan takes effect within a second.' },
  );
  return (
    <form onSubmit={form.onSubmit((values) => put.mutate(values, { onSuccess: onDone }))}>
      <Stack gap="sm">
        <TextInput label="Name" required readOnly={!isNew} {...form.getInputProps('name')} />
        <TextInput label="Title" required {...form.getInputProps('title')} />
        {limits.map((limit) => {
          const field = { label: limitTitles[limit], placeholder: 'no limit', ...form.getInputProps(limit) };
          return inBytes.includes(limit) ? (
            <BytesInput key={limit} {...field} />
          ) : (
            <NumberInput key={limit} min={0} allowDecimal={false} thousandSeparator="," {...field} />
          );
        })}
        <PlanTerms terms={terms} onChange={setTerms} />
        <Button type="submit" loading={put.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}
