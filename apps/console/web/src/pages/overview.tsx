import { Alert, Anchor, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { ApiKey, Me, Usage } from '../api.ts';
import { ConnectPanel } from '../connect/connect-panel.tsx';
import { count } from '../format.ts';
import { Answer, PageHead, Section } from '../parts.tsx';
import { useApi, useRight } from '../use-api.ts';
import { Activity } from './overview/activity.tsx';
import { FirstSteps, stepsOf } from './overview/first-steps.tsx';
import { Today } from './overview/today.tsx';

/** First steps of a new account, limits of today, and the addresses of the services. */
export function OverviewPage({ me }: { me: Me }) {
  const usage = useApi<Usage>('usage?span=month', { refreshMs: 5000 });
  const keys = useApi<ApiKey[]>('keys', { refreshMs: 10_000 });
  const mayChange = useRight('develop');
  return (
    <>
      <PageHead title="Overview" text="Limits of today, and everything to connect a program." />
      <Answer query={usage}>
        {(month) => (
          <Answer query={keys}>
            {(list) => {
              const steps = stepsOf(me, list, month);
              return (
                <Stack>
                  {mayChange && steps.some(({ isDone }) => !isDone) && <FirstSteps steps={steps} />}
                  <Today plan={me.plan} quotaBytes={me.account.quotaBytes} usage={month} />
                  {month.today.limited > 0 && (
                    <Alert color="orange" icon={<IconAlertTriangle />} title="Limits refused requests today">
                      {count(month.today.limited)} requests were refused.{' '}
                      <Anchor component={Link} href="/usage">
                        Usage shows which ones.
                      </Anchor>
                    </Alert>
                  )}
                  {month.total.requests > 0 && <Activity />}
                  <Section title="Connect">
                    <ConnectPanel me={me} keys={list.filter(({ revokedAt }) => revokedAt === undefined)} />
                  </Section>
                </Stack>
              );
            }}
          </Answer>
        )}
      </Answer>
    </>
  );
}
