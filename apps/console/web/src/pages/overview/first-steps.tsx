import { Badge, Button, Card, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck, IconCircle } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { ApiKey, Me, Usage } from '../../api.ts';

interface Step {
  readonly title: string;
  readonly text: string;
  readonly isDone: boolean;
  readonly href: string;
  readonly action: string;
}

/** Steps of a new account, in the order in which a person takes them. */
export function stepsOf(me: Me, keys: readonly ApiKey[], month: Usage): readonly Step[] {
  return [
    {
      title: 'Attach a card',
      text: 'Storage needs a billing card. JSON-RPC works without one.',
      isDone: me.account.card !== undefined,
      href: '/billing',
      action: 'Open Billing',
    },
    {
      title: 'Create an API key',
      text: 'One key serves storage and JSON-RPC. Its secret is shown once.',
      isDone: keys.some(({ revokedAt }) => revokedAt === undefined),
      href: '/keys',
      action: 'Create a key',
    },
    {
      title: 'Store a first file',
      text: 'Drop a file or a folder. It gets a CID that any IPFS tool reads.',
      isDone: month.held.pins > 0,
      href: '/files',
      action: 'Open Files',
    },
    {
      title: 'Make a first call',
      text: 'Paste the curl command below into a shell, or send a call from the playground.',
      isDone: month.networks.length > 0,
      href: '/playground',
      action: 'Open the playground',
    },
  ];
}

/** Checklist of a new account. */
export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <Card withBorder padding="lg" component="section" aria-label="First steps">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          First steps
        </Title>
        <Badge>
          {done} of {steps.length}
        </Badge>
      </Group>
      <Stack gap="sm" component="ol" m={0} p={0} className="plain-list">
        {steps.map((step) => (
          <Group key={step.title} component="li" align="flex-start" wrap="nowrap">
            <ThemeIcon
              variant={step.isDone ? 'filled' : 'light'}
              color={step.isDone ? 'teal' : 'gray'}
              radius="xl"
              size="md"
              role="img"
              aria-label={step.isDone ? 'done' : 'open'}
            >
              {step.isDone ? <IconCheck size={16} /> : <IconCircle size={16} />}
            </ThemeIcon>
            <Group justify="space-between" flex={1} gap="xs">
              <div className="step-text">
                <Text fw={600} size="sm" td={step.isDone ? 'line-through' : undefined}>
                  {step.title}
                </Text>
                <Text size="sm" c="dimmed">
                  {step.text}
                </Text>
              </div>
              {!step.isDone && (
                <Button component={Link} href={step.href} size="xs" variant={step === next ? 'filled' : 'default'}>
                  {step.action}
                </Button>
              )}
            </Group>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
