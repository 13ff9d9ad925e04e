import { Alert, Stack } from '@mantine/core';
import type { Me } from '../../api.ts';
import { PageHead } from '../../parts.tsx';
import { useRight } from '../../use-api.ts';
import { FileTabs } from './file-tabs.tsx';
import { ServingCard } from './serving.tsx';
import { WebhookCard } from './webhook.tsx';

/** The webhook of the account, and the permission for IPFS peers. */
export function FileSettingsPage({ me }: { me: Me }) {
  const mayChange = useRight('develop');
  const hasCard = me.account.card !== undefined;
  return (
    <>
      <PageHead title="Files" text="Messages about files, and who may fetch them." />
      <FileTabs shown="settings">
        {hasCard && mayChange ? (
          <Stack>
            <WebhookCard />
            <ServingCard me={me} />
          </Stack>
        ) : (
          <Alert color="orange" title="Nothing to change here">
            {hasCard
              ? 'Your role reads only.'
              : 'Storage needs a billing card. The page Billing explains how to attach one.'}
          </Alert>
        )}
      </FileTabs>
    </>
  );
}
