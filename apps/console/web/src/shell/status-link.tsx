import { Group, NavLink } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { ServiceStatus } from '../api.ts';
import { StateDot } from '../parts.tsx';
import { useApi } from '../use-api.ts';

/** Link to the page of the state of the services, with that state in short. */
export function StatusLink({ onFollow }: { onFollow: () => void }) {
  const [path] = useLocation();
  const status = useApi<ServiceStatus>('status', { refreshMs: 30_000 });
  const faults = status.data?.services.filter(({ isReady, isDeployed }) => isDeployed && !isReady).length ?? 0;
  const isKnown = status.data !== undefined && status.error === null;
  const text = isKnown ? textOf(faults) : 'Status';
  return (
    <NavLink
      component={Link}
      href="/status"
      mt="md"
      label={
        <Group gap={8} wrap="nowrap">
          <StateDot color={!isKnown ? 'gray' : faults === 0 ? 'teal' : 'red'} />
          {text}
        </Group>
      }
      active={path === '/status'}
      aria-current={path === '/status' ? 'page' : undefined}
      onClick={onFollow}
    />
  );
}

function textOf(faults: number): string {
  if (faults === 0) return 'All services work';
  return faults === 1 ? '1 service is not ready' : `${faults} services are not ready`;
}
