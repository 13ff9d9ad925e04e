import type { Postgres } from '@cairn/postgres';
import type { MemberToken, MemberTokenKind } from '../members/member-token.ts';
import type { MemberTokenStore } from '../members/member-token-store.ts';
import { find } from './records.ts';

/** Tokens in the database of the accounts. */
export class PostgresMemberTokenStore implements MemberTokenStore {
  readonly #database: Postgres;

  constructor(database: Postgres) {
    this.#database = database;
  }

  async put(token: MemberToken): Promise<void> {
    const { id, kind, subject, expiresAt } = token;
    await this.#database.write({
      text: `INSERT INTO member_tokens VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO UPDATE
             SET kind = EXCLUDED.kind, subject = EXCLUDED.subject, expires_at = EXCLUDED.expires_at, record = EXCLUDED.record`,
      values: [id, kind, subject, expiresAt, JSON.stringify(token)],
    });
  }

  get(id: string): Promise<MemberToken | undefined> {
    return find(this.#database, { text: 'SELECT record FROM member_tokens WHERE id = $1', values: [id] });
  }

  take(id: string): Promise<MemberToken | undefined> {
    return this.#database.transaction(async (transaction) => {
      const { rows } = await transaction.run<{ record: MemberToken }>({
        text: 'DELETE FROM member_tokens WHERE id = $1 RETURNING record',
        values: [id],
      });
      return rows[0]?.record;
    });
  }

  async of(kind: MemberTokenKind, subject: string): Promise<readonly MemberToken[]> {
    const { rows } = await this.#database.read<{ record: MemberToken }>({
      text: 'SELECT record FROM member_tokens WHERE subject = $1 AND kind = $2 ORDER BY id',
      values: [subject, kind],
    });
    return rows.map(({ record }) => record);
  }

  async removeOf(kind: MemberTokenKind, subject: string): Promise<void> {
    await this.#database.write({
      text: 'DELETE FROM member_tokens WHERE subject = $1 AND kind = $2',
      values: [subject, kind],
    });
  }

  async removeExpired(now: number): Promise<void> {
    await this.#database.write({ text: 'DELETE FROM member_tokens WHERE expires_at <= $1', values: [now] });
  }
}
