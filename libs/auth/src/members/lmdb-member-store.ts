import type { Database, Environment } from '@cairn/embedded-store';
import type { AuditEntry } from '../audit.ts';
import { memberExists, memberNotFound } from '../errors.ts';
import { LmdbMemberTokenStore } from './lmdb-member-token-store.ts';
import { type Member, memberFromRecord, type Session } from './member.ts';
import { auditOf, type MemberChange, type MemberStore } from './member-store.ts';

/** Members in the LMDB environment of the accounts. `log` appends to the audit log within the current transaction. */
export class LmdbMemberStore implements MemberStore {
  readonly tokens: LmdbMemberTokenStore;
  readonly #environment: Environment;
  readonly #members: Database;
  readonly #emails: Database;
  readonly #sessions: Database;
  readonly #log: (entry: AuditEntry) => void;

  constructor(environment: Environment, log: (entry: AuditEntry) => void) {
    this.#environment = environment;
    this.#members = environment.database('members');
    this.#emails = environment.database('emails');
    this.#sessions = environment.database('sessions');
    this.#log = log;
    this.tokens = new LmdbMemberTokenStore(environment);
  }

  async insert(member: Member, entry: AuditEntry): Promise<void> {
    await this.#environment.transaction(() => this.insertInTransaction(member, entry));
  }

  /** Inserts as {@link insert} does, within the current transaction. */
  insertInTransaction(member: Member, entry: AuditEntry): void {
    if (this.#emails.has(Buffer.from(member.email))) throw memberExists();
    this.#members.put(Buffer.from(member.id), encode(member));
    this.#emails.put(Buffer.from(member.email), Buffer.from(member.id));
    this.#log(entry);
  }

  async member(id: string): Promise<Member | undefined> {
    this.#environment.refresh();
    return decodeMember(this.#members.get(Buffer.from(id)));
  }

  async byEmail(email: string): Promise<Member | undefined> {
    this.#environment.refresh();
    const id = this.#emails.get(Buffer.from(email));
    return id && decodeMember(this.#members.get(id));
  }

  async *list(): AsyncGenerator<Member> {
    this.#environment.refresh();
    yield* this.#all();
  }

  async update(id: string, change: (member: Member) => Member, entry?: AuditEntry): Promise<Member> {
    return await this.#environment.transaction(() => {
      const before = decodeMember(this.#members.get(Buffer.from(id)));
      if (before === undefined) throw memberNotFound();
      const after = change(before);
      this.#members.put(Buffer.from(id), encode(after));
      if (entry) this.#log({ ...entry, accountId: after.accountId });
      return after;
    });
  }

  async ofAccount(accountId: string): Promise<readonly Member[]> {
    this.#environment.refresh();
    return this.#ofAccount(accountId);
  }

  async changeOfAccount(
    accountId: string,
    change: (members: readonly Member[]) => MemberChange,
    entry: AuditEntry,
  ): Promise<void> {
    await this.#environment.transaction(() => {
      const changed = change(this.#ofAccount(accountId));
      if ('put' in changed) this.#members.put(Buffer.from(changed.put.id), encode(changed.put));
      else this.#removeInTransaction(changed.remove);
      this.#log({ ...entry, ...auditOf(changed) });
    });
  }

  #removeInTransaction({ id, email }: Member): void {
    this.#members.remove(Buffer.from(id));
    this.#emails.remove(Buffer.from(email));
    for (const { key, value } of [...this.#sessions.range()])
      if (decode<Session>(value)?.memberId === id) this.#sessions.remove(key);
  }

  #ofAccount(accountId: string): Member[] {
    return this.#all().filter((member) => member.accountId === accountId);
  }

  #all(): Member[] {
    return [...this.#members.range()].flatMap(({ value }) => decodeMember(value) ?? []);
  }

  async changeSecrets(change: (secret: string, memberId: string) => string): Promise<number> {
    return await this.#environment.transaction(() => {
      let changed = 0;
      for (const { key, value } of [...this.#members.range()]) {
        const member = JSON.parse(Buffer.from(value).toString()) as Member;
        if (member.totp === undefined) continue;
        const secret = change(member.totp.secret, member.id);
        if (secret === member.totp.secret) continue;
        this.#members.put(key, encode({ ...member, totp: { ...member.totp, secret } }));
        changed++;
      }
      return changed;
    });
  }

  async putSession(session: Session): Promise<void> {
    await this.#environment.transaction(() => this.#sessions.put(Buffer.from(session.id), encode(session)));
  }

  async session(id: string): Promise<Session | undefined> {
    this.#environment.refresh();
    return decode<Session>(this.#sessions.get(Buffer.from(id)));
  }

  async sessionsOf(memberId: string): Promise<readonly Session[]> {
    this.#environment.refresh();
    const all = [...this.#sessions.range()].flatMap(({ value }) => decode<Session>(value) ?? []);
    return all.filter((session) => session.memberId === memberId);
  }

  async updateSession(id: string, change: (session: Session) => Session): Promise<void> {
    await this.#environment.transaction(() => {
      const before = decode<Session>(this.#sessions.get(Buffer.from(id)));
      if (before !== undefined) this.#sessions.put(Buffer.from(id), encode(change(before)));
    });
  }

  async removeSession(id: string): Promise<void> {
    await this.#environment.transaction(() => void this.#sessions.remove(Buffer.from(id)));
  }

  async removeSessions(memberId: string): Promise<void> {
    await this.#removeWhere((session) => session.memberId === memberId);
  }

  async removeExpiredSessions(now: number): Promise<void> {
    await this.#removeWhere(({ expiresAt }) => expiresAt <= now);
  }

  async #removeWhere(hasEnded: (session: Session) => boolean): Promise<void> {
    await this.#environment.transaction(() => {
      for (const { key, value } of [...this.#sessions.range()])
        if (hasEnded(JSON.parse(Buffer.from(value).toString()) as Session)) this.#sessions.remove(key);
    });
  }
}

function encode(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function decodeMember(bytes: Uint8Array | undefined): Member | undefined {
  return bytes && memberFromRecord(JSON.parse(Buffer.from(bytes).toString()));
}

function decode<T>(bytes: Uint8Array | undefined): T | undefined {
  return bytes && (JSON.parse(Buffer.from(bytes).toString()) as T);
}
