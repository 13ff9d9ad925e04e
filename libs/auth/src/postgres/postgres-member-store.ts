import type { Postgres, Transaction } from '@cairn/postgres';
import type { AuditEntry } from '../audit.ts';
import { memberExists, memberNotFound } from '../errors.ts';
import { type Member, memberFromRecord, type Session } from '../members/member.ts';
import { auditOf, type MemberChange, type MemberStore } from '../members/member-store.ts';
import { PostgresMemberTokenStore } from './postgres-member-token-store.ts';
import { find, log, notify, pages, type Recorded } from './records.ts';

/** Members in the database of the accounts. */
export class PostgresMemberStore implements MemberStore {
  readonly tokens: PostgresMemberTokenStore;
  readonly #database: Postgres;

  constructor(database: Postgres) {
    this.#database = database;
    this.tokens = new PostgresMemberTokenStore(database);
  }

  async insert(member: Member, entry: AuditEntry): Promise<void> {
    await this.#database.transaction((transaction) => this.insertInTransaction(transaction, member, entry));
  }

  /** Inserts as {@link insert} does, within a transaction. */
  async insertInTransaction(transaction: Transaction, member: Member, entry: AuditEntry): Promise<void> {
    const { count } = await transaction.run({
      text: 'INSERT INTO members VALUES ($1, $2, $3) ON CONFLICT (email) DO NOTHING',
      values: [member.id, member.email, JSON.stringify(member)],
    });
    if (count === 0) throw memberExists();
    await log(transaction, entry);
  }

  async member(id: string): Promise<Member | undefined> {
    const text = 'SELECT record FROM members WHERE id = $1';
    const record = await find<Member>(this.#database, { name: 'member', text, values: [id] });
    return record && memberFromRecord(record);
  }

  async byEmail(email: string): Promise<Member | undefined> {
    const text = 'SELECT record FROM members WHERE email = $1';
    const record = await find<Member>(this.#database, { text, values: [email] });
    return record && memberFromRecord(record);
  }

  async *list(): AsyncGenerator<Member> {
    const records = pages<Member, string>((after, limit) =>
      this.#database.read<Recorded<Member, string>>({
        text: 'SELECT id AS place, record FROM members WHERE id > $1 ORDER BY id LIMIT $2',
        values: [after ?? '', limit],
      }),
    );
    for await (const record of records) yield memberFromRecord(record);
  }

  update(id: string, change: (member: Member) => Member, entry?: AuditEntry): Promise<Member> {
    return this.#database.transaction(async (transaction) => {
      const { rows } = await transaction.run<{ record: Member }>({
        text: 'SELECT record FROM members WHERE id = $1 FOR UPDATE',
        values: [id],
      });
      const [found] = rows;
      if (found === undefined) throw memberNotFound();
      const after = change(memberFromRecord(found.record));
      await put(transaction, after);
      if (entry !== undefined) await log(transaction, { ...entry, accountId: after.accountId });
      await notify(transaction, 'member', id);
      return after;
    });
  }

  async ofAccount(accountId: string): Promise<readonly Member[]> {
    const { rows } = await this.#database.read<{ record: Member }>({
      text: "SELECT record FROM members WHERE record->>'accountId' = $1 ORDER BY id",
      values: [accountId],
    });
    return rows.map(({ record }) => memberFromRecord(record));
  }

  async changeOfAccount(
    accountId: string,
    change: (members: readonly Member[]) => MemberChange,
    entry: AuditEntry,
  ): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const { rows } = await transaction.run<{ record: Member }>({
        text: "SELECT record FROM members WHERE record->>'accountId' = $1 ORDER BY id FOR UPDATE",
        values: [accountId],
      });
      const changed = change(rows.map(({ record }) => memberFromRecord(record)));
      const { id } = 'put' in changed ? changed.put : changed.remove;
      if ('put' in changed) await put(transaction, changed.put);
      else {
        await transaction.run({ text: 'DELETE FROM members WHERE id = $1', values: [id] });
        await transaction.run({ text: 'DELETE FROM member_sessions WHERE member_id = $1', values: [id] });
      }
      await log(transaction, { ...entry, ...auditOf(changed) });
      await notify(transaction, 'member', id);
    });
  }

  changeSecrets(change: (secret: string, memberId: string) => string): Promise<number> {
    return this.#database.transaction(async (transaction) => {
      const { rows } = await transaction.run<{ record: Member }>({
        text: "SELECT record FROM members WHERE record->'totp' IS NOT NULL ORDER BY id FOR UPDATE",
      });
      let changed = 0;
      for (const { record: member } of rows) {
        if (member.totp === undefined) continue;
        const secret = change(member.totp.secret, member.id);
        if (secret === member.totp.secret) continue;
        await put(transaction, { ...member, totp: { ...member.totp, secret } });
        changed++;
      }
      return changed;
    });
  }

  async putSession(session: Session): Promise<void> {
    await this.#database.write({
      text: `INSERT INTO member_sessions VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO UPDATE
             SET member_id = EXCLUDED.member_id, expires_at = EXCLUDED.expires_at, record = EXCLUDED.record`,
      values: [session.id, session.memberId, session.expiresAt, JSON.stringify(session)],
    });
  }

  session(id: string): Promise<Session | undefined> {
    const text = 'SELECT record FROM member_sessions WHERE id = $1';
    return find(this.#database, { name: 'member-session', text, values: [id] });
  }

  async sessionsOf(memberId: string): Promise<readonly Session[]> {
    const text = 'SELECT record FROM member_sessions WHERE member_id = $1 ORDER BY id';
    const { rows } = await this.#database.read<{ record: Session }>({ text, values: [memberId] });
    return rows.map(({ record }) => record);
  }

  async updateSession(id: string, change: (session: Session) => Session): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const text = 'SELECT record FROM member_sessions WHERE id = $1 FOR UPDATE';
      const { rows } = await transaction.run<{ record: Session }>({ text, values: [id] });
      if (rows[0] === undefined) return;
      const session = change(rows[0].record);
      await transaction.run({
        text: 'UPDATE member_sessions SET expires_at = $2, record = $3 WHERE id = $1',
        values: [id, session.expiresAt, JSON.stringify(session)],
      });
    });
  }

  async removeSession(id: string): Promise<void> {
    await this.#database.write({ text: 'DELETE FROM member_sessions WHERE id = $1', values: [id] });
  }

  async removeSessions(memberId: string): Promise<void> {
    await this.#database.write({ text: 'DELETE FROM member_sessions WHERE member_id = $1', values: [memberId] });
  }

  async removeExpiredSessions(now: number): Promise<void> {
    await this.#database.write({ text: 'DELETE FROM member_sessions WHERE expires_at <= $1', values: [now] });
  }
}

async function put(transaction: Transaction, member: Member): Promise<void> {
  await transaction.run({
    text: 'UPDATE members SET email = $2, record = $3 WHERE id = $1',
    values: [member.id, member.email, JSON.stringify(member)],
  });
}
