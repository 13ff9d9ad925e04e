import { Tabs } from '@mantine/core';
import { useLocation, useParams } from 'wouter';
import type { Me } from '../api.ts';
import { PageHead } from '../parts.tsx';
import { Accounts } from './operator/accounts.tsx';
import { Audit } from './operator/audit.tsx';
import { Health } from './operator/health.tsx';
import { Network } from './operator/network.tsx';
import { Plans } from './operator/plans.tsx';
import { ServiceUsagePage } from './operator/usage.tsx';

const tabs = [
  { name: 'accounts', title: 'Accounts', page: Accounts },
  { name: 'usage', title: 'Usage', page: ServiceUsagePage },
  { name: 'plans', title: 'Plans', page: Plans },
  { name: 'health', title: 'Health', page: Health },
  { name: 'network', title: 'IPFS network', page: Network },
  { name: 'audit', title: 'Audit log', page: Audit },
] as const;

/** Accounts, usage, plans, service state and audit log. Each tab has its own address. */
export function OperatorPage(_: { me: Me }) {
  const { tab } = useParams<{ tab?: string }>();
  const [, navigate] = useLocation();
  const chosen = tabs.find(({ name }) => name === tab)?.name ?? 'accounts';
  return (
    <>
      <PageHead title="Operator" text="Accounts, usage, plans and state of this service." />
      <Tabs value={chosen} onChange={(name) => navigate(`/operator/${name}`)} keepMounted={false}>
        <Tabs.List>
          {tabs.map(({ name, title }) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, page: Page }) => (
          <Tabs.Panel key={name} value={name} pt="md">
            <Page />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
