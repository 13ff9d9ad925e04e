import { Card, Progress, SimpleGrid, Text } from '@mantine/core';
import type { Plan, Usage } from '../../api.ts';
import { bytes, compact, duration } from '../../format.ts';

const dayMs = 86_400_000;

/** Counters of today beside the limits of the plan. */
export function Today({
  plan,
  quotaBytes,
  usage: { today, held },
}: {
  plan: Plan | undefined;
  quotaBytes: number | undefined;
  usage: Usage;
}) {
  const reset = resetOf(Date.now());
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Meter title="Credits today" reset={reset} used={today.credits} limit={plan?.creditsPerDay} show={compact} />
      <Meter title="Stored" used={held.bytes} limit={quotaBytes ?? plan?.storedBytes} show={bytes} />
      <Meter title="Received today" reset={reset} used={today.bytesIn} limit={plan?.bytesInPerDay} show={bytes} />
      <Meter title="Sent today" reset={reset} used={today.bytesOut} limit={plan?.bytesOutPerDay} show={bytes} />
    </SimpleGrid>
  );
}

function Meter({
  title,
  used,
  limit,
  show,
  reset,
}: {
  title: string;
  used: number;
  limit: number | undefined;
  show: (value: number) => string;
  reset?: string;
}) {
  const share = limit ? Math.min(100, (used / limit) * 100) : 0;
  return (
    <Card withBorder padding="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text size="xl" fw={600} className="number">
        {show(used)}
      </Text>
      {limit !== undefined && (
        <Progress
          // Axe and screen readers expect no exponent.
          value={Math.round(share * 10) / 10}
          color={share >= 100 ? 'red' : share > 80 ? 'orange' : undefined}
          aria-label={`${title}: ${Math.round(share)} percent of the limit`}
          size={6}
          my={8}
        />
      )}
      <Text size="xs" c="dimmed" mt="auto">
        {limit === undefined ? 'no limit' : `of ${show(limit)}`}
        {limit !== undefined && reset !== undefined && `; ${reset}`}
      </Text>
    </Card>
  );
}

/** Time until the daily limits reset: midnight UTC. */
function resetOf(now: number): string {
  return `resets in ${duration((dayMs - (now % dayMs)) / 1000)}`;
}
