import { Alert, Badge, Box, Button, Card, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { api, type Me } from '../api.ts';
import { FormDialog } from '../form-dialog.tsx';
import { time } from '../format.ts';
import { Answer, Confirm, Failure, PageHead, Section } from '../parts.tsx';
import { useApi, useChange } from '../use-api.ts';
import { roleOptions, roleTitles } from './members/roles.ts';

type Role = keyof typeof roleTitles;

interface MemberState {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly isMe: boolean;
  readonly hasTotp: boolean;
  readonly hasVerifiedEmail: boolean;
}

interface InvitationState {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: number;
}

interface Team {
  readonly members: readonly MemberState[];
  readonly invitations: readonly InvitationState[];
  readonly hasMail: boolean;
}

/** Members of the account, their roles, and open invitations. */
export function MembersPage({ me }: { me: Me }) {
  const team = useApi<Team>('members', { refreshMs: 5_000 });
  const [isInviting, setIsInviting] = useState(false);
  const isManager = me.member.permissions.includes('manage');
  return (
    <>
      <PageHead title="Members" text="People who sign in to this account.">
        {isManager && (
          <Button
            leftSection={<IconPlus size={16} />}
            disabled={team.data?.hasMail !== true}
            onClick={() => setIsInviting(true)}
          >
            Invite
          </Button>
        )}
      </PageHead>
      <Answer query={team}>
        {({ members, invitations, hasMail }) => (
          <Stack>
            {isManager && !hasMail && (
              <Alert color="orange" title="This console sends no mail">
                The operator can enable invitations with the setting CAIRN_SMTP_URL.
              </Alert>
            )}
            <Card withBorder padding={0} className="divided">
              {members.map((member) => (
                <MemberRow key={member.id} member={member} isManager={isManager} />
              ))}
            </Card>
            {invitations.length > 0 && (
              <Section title="Open invitations" isFlush>
                <div className="divided">
                  {invitations.map((invitation) => (
                    <InvitationRow key={invitation.id} invitation={invitation} isManager={isManager} />
                  ))}
                </div>
              </Section>
            )}
          </Stack>
        )}
      </Answer>
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </>
  );
}

function MemberRow({ member, isManager }: { member: MemberState; isManager: boolean }) {
  const { id, email, role, isMe, hasTotp, hasVerifiedEmail } = member;
  const [isDoomed, setIsDoomed] = useState(false);
  const change = useChange((wanted: string) => api(`members/${id}`, { method: 'PATCH', body: { role: wanted } }), {
    done: `The role of ${email} is changed.`,
    isQuiet: true,
  });
  const remove = useChange(() => api(`members/${id}`, { method: 'DELETE' }), {
    done: `${email} is removed.`,
    isQuiet: true,
  });
  const isChangeable = isManager && role !== 'operator';
  return (
    <Box px="lg" py="md">
      <Group justify="space-between" wrap="wrap">
        <div>
          <Text fw={500} size="sm" className="wrap-anywhere">
            {email}
          </Text>
          <Group gap={6} mt={4}>
            {isMe && <Badge>You</Badge>}
            {hasTotp && <Badge color="teal">Second factor</Badge>}
            {!hasVerifiedEmail && <Badge color="orange">Address not verified</Badge>}
          </Group>
        </div>
        {isChangeable ? (
          <Group>
            <Select
              aria-label={`Role of ${email}`}
              data={roleOptions}
              value={role}
              allowDeselect={false}
              disabled={change.isPending}
              onChange={(wanted) => wanted !== null && wanted !== role && change.mutate(wanted)}
            />
            <Button
              variant="subtle"
              color="red"
              leftSection={<IconTrash size={16} />}
              aria-label={`Remove ${email}`}
              loading={remove.isPending}
              onClick={() => setIsDoomed(true)}
            >
              Remove
            </Button>
          </Group>
        ) : (
          <Text size="sm" c="dimmed">
            {roleTitles[role].title}
          </Text>
        )}
      </Group>
      {change.error && <Failure error={change.error} />}
      {remove.error && <Failure error={remove.error} />}
      <Confirm
        title={`Remove ${email}?`}
        text="The sessions of this person end immediately. Keys of the account keep working."
        action="Remove"
        isOpen={isDoomed}
        onClose={() => setIsDoomed(false)}
        onConfirm={() => remove.mutate(undefined)}
      />
    </Box>
  );
}

function InvitationRow({ invitation, isManager }: { invitation: InvitationState; isManager: boolean }) {
  const { id, email, role, expiresAt } = invitation;
  const withdraw = useChange(() => api(`invitations/${id}`, { method: 'DELETE' }), {
    done: `The invitation of ${email} is withdrawn.`,
  });
  return (
    <Box px="lg" py="md">
      <Group justify="space-between" wrap="wrap">
        <div>
          <Text fw={500} size="sm" className="wrap-anywhere">
            {email}
          </Text>
          <Text size="sm" c="dimmed">
            {roleTitles[role].title}, until {time(expiresAt)}
          </Text>
        </div>
        {isManager && (
          <Button
            variant="default"
            aria-label={`Withdraw the invitation of ${email}`}
            loading={withdraw.isPending}
            onClick={() => withdraw.mutate(undefined)}
          >
            Withdraw
          </Button>
        )}
      </Group>
    </Box>
  );
}

function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<string>('developer');
  const invite = useChange(
    (body: { email: string; role: string }) => api('invitations', { method: 'POST', body }).then(onClose),
    { done: 'The invitation is on its way.', isQuiet: true },
  );
  return (
    <FormDialog
      title="Invite a member"
      action="Send the invitation"
      isSending={invite.isPending}
      isReady={email.trim() !== ''}
      onSend={() => invite.mutate({ email, role })}
      onClose={onClose}
    >
      <TextInput
        label="E-mail"
        type="email"
        required
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <Select
        label="Role"
        data={roleOptions}
        value={role}
        allowDeselect={false}
        onChange={(wanted) => setRole(wanted ?? 'developer')}
      />
      {invite.error && <Failure error={invite.error} />}
    </FormDialog>
  );
}
