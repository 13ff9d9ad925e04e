import { Alert, Anchor, Button, Card, Checkbox, Group, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, type Me } from '../../api.ts';
import { Answer, Failure } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';

interface AlertSettings {
  readonly thresholds: readonly number[];
  readonly byMail: boolean;
  readonly byWebhook: boolean;
}

interface State extends AlertSettings {
  readonly hasMail: boolean;
  readonly hasWebhook: boolean;
  /** Number of verified addresses. */
  readonly recipients: number;
}

const choices = [50, 75, 80, 90, 95, 100];

/** Alerts before the limits of the account are reached. */
export function Alerts({ me }: { me: Me }) {
  const alerts = useApi<State>('alerts');
  return (
    <Answer query={alerts}>
      {(state) => (
        <Form key={JSON.stringify(state)} state={state} isFixed={!me.member.permissions.includes('develop')} />
      )}
    </Answer>
  );
}

function Form({ state, isFixed }: { state: State; isFixed: boolean }) {
  const { hasMail, hasWebhook, recipients } = state;
  const [{ thresholds, byMail, byWebhook }, setWanted] = useState<AlertSettings>(state);
  const save = useChange((body: AlertSettings) => api('alerts', { method: 'PUT', body }), {
    done: 'The alerts are saved.',
    isQuiet: true,
  });
  const shown = [...new Set([...choices, ...state.thresholds])].sort((one, other) => one - other);
  return (
    <Card withBorder padding="lg" maw={640}>
      <Stack>
        <Text size="sm">
          An alert is sent once for each threshold: of credits, received bytes and sent bytes of a day, and of stored
          bytes.
        </Text>
        <Checkbox.Group
          label="Percentages of a limit"
          value={thresholds.map(String)}
          onChange={(values) => setWanted({ thresholds: values.map(Number), byMail, byWebhook })}
        >
          <Group mt="xs">
            {shown.map((percent) => (
              <Checkbox key={percent} value={String(percent)} label={`${percent} %`} disabled={isFixed} />
            ))}
          </Group>
        </Checkbox.Group>
        <Switch
          label="Mail"
          description={
            hasMail
              ? `To owners and billing members with a verified address: ${recipients} now.`
              : 'This service sends no mail. The operator can set CAIRN_SMTP_URL.'
          }
          checked={byMail}
          disabled={isFixed || !hasMail}
          onChange={(event) => setWanted({ thresholds, byMail: event.currentTarget.checked, byWebhook })}
        />
        <Switch
          label="Signed webhook"
          description="A message usage.threshold to the webhook of the account."
          checked={byWebhook}
          disabled={isFixed}
          onChange={(event) => setWanted({ thresholds, byMail, byWebhook: event.currentTarget.checked })}
        />
        {byWebhook && !hasWebhook && (
          <Alert color="orange" title="The account has no webhook">
            <Anchor component={Link} href="/files/settings" underline="always" c="inherit">
              Set one on the page Files, tab Webhook and peers
            </Anchor>
            .
          </Alert>
        )}
        {save.error && <Failure error={save.error} />}
        <Group justify="flex-end">
          <Button
            disabled={isFixed}
            loading={save.isPending}
            onClick={() => save.mutate({ thresholds, byMail, byWebhook })}
          >
            Save
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
