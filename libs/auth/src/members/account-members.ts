import type { Account } from '../account.ts';
import type { AccountStore } from '../account-store.ts';
import type { Actor, AuditEntry } from '../audit.ts';
import { AuthError, memberExists, memberNotFound, tokenInvalid } from '../errors.ts';
import { type AccountRole, type Member, newMember } from './member.ts';
import type { MemberStore } from './member-store.ts';
import { type MemberToken, memberTokenId, newMemberToken } from './member-token.ts';
import { parseEmail } from './members.ts';
import { checkPassword, hashPassword } from './password.ts';

/** Limits of the members of one account. */
export const accountMemberLimits = {
  /** Members and open invitations of one account. */
  membersMax: 100,
  /** An invitation works for this time, in milliseconds. */
  invitationMs: 7 * 86_400_000,
} as const;

/** Open invitation. Its token is only in the mail. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: AccountRole;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Members of one account: invitations, roles, removal. */
export class AccountMembers {
  readonly #accounts: AccountStore;
  readonly #store: MemberStore;
  readonly #now: () => number;

  constructor({
    store,
    now = Date.now,
  }: {
    readonly store: AccountStore;
    /** Current time in milliseconds since 1970. Default: `Date.now`. */
    readonly now?: () => number;
  }) {
    this.#accounts = store;
    this.#store = store.members;
    this.#now = now;
  }

  /** Returns the members of an account in byte order of their ids. */
  list(accountId: string): Promise<readonly Member[]> {
    return this.#store.ofAccount(accountId);
  }

  /** Returns the open invitations of an account, the newest first. */
  async invitations(accountId: string): Promise<readonly Invitation[]> {
    const tokens = await this.#store.tokens.of('invitation', accountId);
    const open = tokens.filter((token) => this.#isOpen(token)).map(invitationOf);
    return open.sort((one, other) => other.createdAt - one.createdAt);
  }

  /**
   * Creates an invitation, which replaces an earlier one to the same address. The caller sends the token.
   * @throws VALUE_INVALID, MEMBER_EXISTS, MEMBERS_FULL
   */
  async invite(
    accountId: string,
    { email, role, actor }: { readonly email: string; readonly role: AccountRole; readonly actor: Actor },
  ): Promise<{ readonly invitation: Invitation; readonly token: string }> {
    const address = parseEmail(email);
    if (await this.#store.byEmail(address)) throw memberExists();
    const { tokens } = this.#store;
    const now = this.#now();
    await tokens.removeExpired(now);
    const open = await tokens.of('invitation', accountId);
    const others = open.filter((token) => token.email !== address);
    const { membersMax, invitationMs } = accountMemberLimits;
    if ((await this.list(accountId)).length + others.length >= membersMax)
      throw new AuthError('MEMBERS_FULL', `The account has ${membersMax} members and invitations, the most allowed.`, {
        hint: 'Remove a member or withdraw an invitation.',
      });
    for (const { id } of open.filter((token) => token.email === address)) await tokens.take(id);
    const times = { createdAt: now, expiresAt: now + invitationMs };
    const { text, record } = newMemberToken({ kind: 'invitation', subject: accountId, email: address, role, ...times });
    await tokens.put(record);
    await this.#log({ actor, action: 'member.invite', accountId, change: { email: address, role } });
    return { invitation: invitationOf(record), token: text };
  }

  /** Withdraws an invitation. @throws INVITATION_NOT_FOUND, also for an invitation of another account */
  async withdraw(accountId: string, id: string, actor: Actor): Promise<void> {
    const open = await this.#store.tokens.of('invitation', accountId);
    const found = open.find((token) => token.id === id);
    if (found === undefined || (await this.#store.tokens.take(id)) === undefined)
      throw new AuthError('INVITATION_NOT_FOUND', 'The account has no open invitation of this id.');
    await this.#log({ actor, action: 'member.withdraw', accountId, change: { email: found.email } });
  }

  /** Returns the invitation of a token and its account. @throws TOKEN_INVALID */
  async invitation(token: string): Promise<{ readonly invitation: Invitation; readonly account: Account }> {
    const found = await this.#store.tokens.get(memberTokenId(token));
    const account = this.#isOpen(found) && (await this.#accounts.account(found.subject));
    if (!found || !account) throw tokenInvalid();
    return { invitation: invitationOf(found), account };
  }

  /**
   * Creates the invited member. The token proves access to the mailbox, so the address is verified.
   * @throws TOKEN_INVALID, MEMBER_EXISTS, PASSWORD_WEAK: the token still works after a weak password
   */
  async accept(token: string, password: string, from: string): Promise<Member> {
    const { invitation, account } = await this.invitation(token);
    const { email, role } = invitation;
    checkPassword(password, email);
    if (await this.#store.byEmail(email)) throw memberExists();
    const passwordHash = await hashPassword(password);
    if (!this.#isOpen(await this.#store.tokens.take(memberTokenId(token)))) throw tokenInvalid();
    const at = this.#now();
    const accountId = account.id;
    const member = { ...newMember({ email, passwordHash, accountId, role, createdAt: at }), emailVerifiedAt: at };
    const actor = { who: email, from };
    await this.#store.insert(member, { at, actor, action: 'member.create', accountId, change: { email, role } });
    return member;
  }

  /** Changes the role of a member. @throws MEMBER_NOT_FOUND, OWNER_REQUIRED for the last owner */
  async setRole(accountId: string, memberId: string, role: AccountRole, actor: Actor): Promise<void> {
    const entry = { at: this.#now(), actor, action: 'member.role', accountId };
    const change = (members: readonly Member[]) => {
      const member = requireMember(members, memberId);
      if (role !== 'owner') requireOtherOwner(members, member);
      const { email } = member;
      return { put: { ...member, role }, change: { email, role }, before: { role: member.role } };
    };
    await this.#store.changeOfAccount(accountId, change, entry);
  }

  /** Removes a member and ends the sessions. @throws MEMBER_NOT_FOUND, OWNER_REQUIRED for the last owner */
  async remove(accountId: string, memberId: string, actor: Actor): Promise<void> {
    const entry = { at: this.#now(), actor, action: 'member.remove', accountId };
    const change = (members: readonly Member[]) => {
      const member = requireMember(members, memberId);
      requireOtherOwner(members, member);
      return { remove: member, change: { email: member.email } };
    };
    await this.#store.changeOfAccount(accountId, change, entry);
  }

  async #log(action: Omit<AuditEntry, 'at'> & { readonly accountId: string }): Promise<void> {
    const entries = [{ at: this.#now(), ...action }];
    await this.#accounts.updateAccount(action.accountId, (account) => ({ account, entries }));
  }

  #isOpen(token: MemberToken | undefined): token is MemberToken {
    const now = this.#now();
    // Refuses a token created while the clock was ahead: it would last too long.
    const endsMax = now + accountMemberLimits.invitationMs + 3_600_000;
    return token?.kind === 'invitation' && token.expiresAt > now && token.expiresAt <= endsMax;
  }
}

function invitationOf({ id, email, role = 'read-only', createdAt, expiresAt }: MemberToken): Invitation {
  return { id, email, role, createdAt, expiresAt };
}

/** Operators are managed by commands only. */
function requireMember(members: readonly Member[], id: string): Member {
  const member = members.find((one) => one.id === id && one.role !== 'operator');
  if (member === undefined) throw memberNotFound();
  return member;
}

function requireOtherOwner(members: readonly Member[], { id, role }: Member): void {
  if (role !== 'owner' || members.some((other) => other.id !== id && other.role === 'owner')) return;
  throw new AuthError('OWNER_REQUIRED', 'The member is the last owner of the account.', {
    hint: 'Make another member an owner first.',
  });
}
