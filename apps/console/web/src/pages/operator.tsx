import { Tabs } from '@mantine/core';
import type { Me } from '../api.ts';
import { PageHead } from '../parts.tsx';
import { Accounts } from './operator/accounts.tsx';
import { Audit } from './operator/audit.tsx';
import { Health } from './operator/health.tsx';
import { Network } from './operator/network.tsx';
import { Plans } from './operator/plans.tsx';

/** Accounts, plans, service state and audit log. */
export function OperatorPage(_: { me: Me }) {
  return (
    <>
      <PageHead title="Operator" text="Accounts, plans and state of this service." />
      <Tabs defaultValue="accounts" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="accounts">Accounts</Tabs.Tab>
          <Tabs.Tab value="plans">Plans</Tabs.Tab>
          <Tabs.Tab value="health">Health</Tabs.Tab>
          <Tabs.Tab value="network">IPFS network</Tabs.Tab>
          <Tabs.Tab value="audit">Audit log</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="accounts" pt="md">
          <Accounts />
        </Tabs.Panel>
        <Tabs.Panel value="plans" pt="md">
          <Plans />
        </Tabs.Panel>
        <Tabs.Panel value="health" pt="md">
          <Health />
        </Tabs.Panel>
        <Tabs.Panel value="network" pt="md">
          <Network />
        </Tabs.Panel>
        <Tabs.Panel value="audit" pt="md">
          <Audit />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
