import { Anchor, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { ServiceStatus, Usage } from '../../api.ts';
import { age, count } from '../../format.ts';
import { Answer, Section, StateDot } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';

/** Requests of the last 24 hours, and the heads of the networks. */
export function Activity() {
  const usage = useApi<Usage>('usage?span=day', { refreshMs: 15_000 });
  const status = useApi<ServiceStatus>('status', { refreshMs: 30_000 });
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Section title="Requests, last 24 hours" actions={<More href="/usage/charts">Usage</More>}>
        <Answer query={usage}>{(day) => <Requests usage={day} />}</Answer>
      </Section>
      <Section title="Networks" actions={<More href="/networks">All networks</More>}>
        <Answer query={status}>{({ networks }) => <Heads networks={networks.slice(0, 5)} />}</Answer>
      </Section>
    </SimpleGrid>
  );
}

function More({ href, children }: { href: string; children: string }) {
  return (
    <Anchor component={Link} href={href} size="sm" underline="always">
      {children}
    </Anchor>
  );
}

function Heads({ networks }: { networks: ServiceStatus['networks'] }) {
  return (
    <Stack gap="xs" component="ul" m={0} p={0} className="plain-list">
      {networks.map(({ name, isServed, head = 0, lagSeconds = 0 }) => (
        <Group key={name} component="li" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <StateDot color={isServed ? 'teal' : 'red'} />
            <Text size="sm">{name}</Text>
          </Group>
          <Text size="sm" c="dimmed" className="number">
            {isServed ? `block ${count(head)}, ${age(lagSeconds)} old` : 'not served'}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

const height = 72;

/** Requests as bars: charts with axes are on the page Usage, whose code is large. */
function Requests({ usage: { points, total } }: { usage: Usage }) {
  const most = Math.max(1, ...points.map(({ requests }) => requests));
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(2, (value / most) * height));
  const failed = total.errors - total.limited;
  const text = `${count(total.requests)} ${total.requests === 1 ? 'request' : 'requests'}, ${count(failed)} failed, ${count(total.limited)} refused by a limit`;
  return (
    <>
      <svg
        role="img"
        aria-label={text}
        viewBox={`0 0 ${points.length * 10} ${height}`}
        height={height}
        width="100%"
        preserveAspectRatio="none"
        className="bars"
      >
        {points.map(({ at, requests, errors }, index) => (
          <g key={at}>
            <rect className="bar-ground" x={index * 10 + 1} y={height - 2} width={8} height={2} />
            <rect
              className="bar"
              x={index * 10 + 1}
              y={height - heightOf(requests)}
              width={8}
              height={heightOf(requests)}
            />
            <rect
              className="bar-failed"
              x={index * 10 + 1}
              y={height - heightOf(errors)}
              width={8}
              height={heightOf(errors)}
            />
          </g>
        ))}
      </svg>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </>
  );
}
